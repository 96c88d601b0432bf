/** One batch in one transaction: lock, recognise, place, fold, write, notify. Everything or nothing. */
import type postgres from 'postgres';
import { emptyChain, MAIN_CHAIN } from '../../core/accounting/empty-fold';
import { DEFAULT_THRESHOLDS } from '../../core/accounting/thresholds';
import { toRanges } from '../../core/protocol/ranges';
import { type Edge, PYRAMID_MIN_TURNS } from '../../core/series/pyramid';
import { formatRanges } from '../codes/seq-ranges';
import { notifySessions } from '../notify-sessions';
import { settleClaims } from './aliases';
import { callRow, chainNumber, describe, type Folding, foldTail, writePlaced, writeSession } from './fold';
import { type BatchInput, openBatch } from './lock';
import { numberTail, placeLate } from './place';
import { buildPyramid, extendPyramid, readEdges, writePyramid } from './pyramid';
import { recogniseItems, refusePlaced } from './recognise';
import { CHECKPOINT_EVERY, refoldSession } from './refold';
import {
  type Arrival,
  chainOf,
  deliveryKey,
  type ItemOutcome,
  KEPT_COMPOSITIONS,
  type SessionPlan,
  type StoredChain,
  type TouchedSession,
} from './types';
import { type Batch, flushWrites, type Mark } from './write';

export interface RecordedBatch {
  outcomes: Map<Arrival, ItemOutcome>;
  touched: TouchedSession[];
  created: Map<string, number>;
}

/** Rows first; then, from the rows just written, what grows more slowly and what must be folded again. */
export async function recordBatch(tx: postgres.TransactionSql, input: BatchInput): Promise<RecordedBatch> {
  const { batch, plans: opened, created, holders } = await openBatch(tx, input);
  const { writes } = batch;
  const plans = opened.filter((plan) => recogniseItems(batch, plan));
  const touched = new Map<number, TouchedSession>();
  for (const { session, compositions } of plans) {
    const { id, publicId, version } = session;
    touched.set(id, { id, publicId, version: version + 1 });
    for (const report of compositions.values()) writes.compositions.push({ ...report, sessionId: id });
  }
  const tails = plans.filter(isSimple).map((plan) => recordTail(batch, plan));
  const long = tails.filter(({ turnsBefore }) => turnsBefore > PYRAMID_MIN_TURNS);
  if (long.length > 0) await extendPyramids(batch, long);
  const late: LateSession[] = [];
  for (const plan of plans) if (!isSimple(plan)) late.push(await recordLate(batch, plan));
  writeSeqs(batch, plans);
  await flushWrites(tx, writes);

  for (const tail of tails) await finishTail(batch, tail);
  for (const session of late) await finishLate(batch, session);
  for (const { session, compositions } of plans) {
    if (compositions.size === 0) continue;
    writes.oldCompositions.push({ sessionId: session.id, kept: KEPT_COMPOSITIONS });
    writes.compositionMarks.push({ sessionId: session.id });
  }
  await flushWrites(tx, writes);
  const claiming = plans.filter(({ claims }) => claims.length > 0);
  for (const { session, claims } of claiming) {
    for (const each of await settleClaims(batch, session, claims, holders)) touched.set(each.id, each);
  }
  await notifySessions(tx, [...touched.values()]);
  return { outcomes: batch.outcomes, touched: [...touched.values()], created };
}

/** Whether everything new simply follows what the session has. */
function isSimple({ session, late, changed, moved, owner }: SessionPlan): boolean {
  if (late.length > 0 || changed.size > 0 || moved.size > 0 || session.recomputeFrom !== null) return false;
  // A better source than the items before it changes how they count; those of one source never do.
  return owner === session.owner || session.lastPosition === 0 || session.sources === 1 << owner;
}

function markOf(plan: SessionPlan, lastPosition: number): Mark {
  const { session, owner, sources, chainCount, lastActivityAt } = plan;
  const { id, recomputeFrom, version } = session;
  const active = lastActivityAt || null;
  return {
    id,
    owner,
    sources,
    lastPosition,
    chainCount,
    recomputeFrom,
    lastActivityAt: active,
    version: version + 1,
  };
}

interface TailSession {
  plan: SessionPlan;
  folding: Folding;
  lastPosition: number;
  turnsBefore: number;
  edge: Edge | null;
  needsCheckpoint: boolean;
}

function recordTail(batch: Batch, plan: SessionPlan): TailSession {
  const { session, tail } = plan;
  const project = batch.projects.get(session.projectId);
  const thresholds = project?.thresholds ?? DEFAULT_THRESHOLDS;
  const turnsBefore = plan.chains.get(MAIN_CHAIN)?.fold?.turnCount ?? 0;
  const lastPosition = numberTail(plan, session.lastPosition);
  const folding = foldTail(batch, plan, thresholds);
  for (const [placed, refused] of folding.refused) refusePlaced(batch, placed, refused);
  const items = session.itemsSinceCheckpoint + tail.length;
  const needsCheckpoint = items >= CHECKPOINT_EVERY;
  writeSession(batch.writes, session, markOf(plan, lastPosition), {
    state: folding.state,
    thresholds,
    description: describe(session, tail, project?.name ?? ''),
    startedAt: (session.lastPosition === 0 ? folding.startedAt : null) ?? session.startedAt,
    endedAt: folding.endedAt === undefined ? session.endedAt : folding.endedAt,
    itemsSinceCheckpoint: needsCheckpoint ? 0 : items,
  });
  return { plan, folding, lastPosition, turnsBefore, edge: null, needsCheckpoint };
}

async function extendPyramids({ tx, writes }: Batch, long: readonly TailSession[]): Promise<void> {
  const edges = await readEdges(
    tx,
    long.map(({ plan, turnsBefore }) => ({ id: plan.session.id, turnCount: turnsBefore })),
  );
  for (const tail of long) {
    const { id } = tail.plan.session;
    const pyramid = { completed: [], edge: edges.get(id) ?? [] };
    extendPyramid(pyramid, tail.folding.points);
    tail.edge = pyramid.edge;
    if (tail.folding.points.length > 0) writePyramid(writes, id, pyramid);
  }
}

/** The pyramid of a session that grew long enough for one, and its next checkpoint. */
async function finishTail({ tx, writes }: Batch, tail: TailSession): Promise<void> {
  const { plan, folding, lastPosition, turnsBefore } = tail;
  const sessionId = plan.session.id;
  const turnCount = folding.state.chains[MAIN_CHAIN]?.turnCount ?? 0;
  if (turnsBefore <= PYRAMID_MIN_TURNS && turnCount > PYRAMID_MIN_TURNS) {
    const pyramid = await buildPyramid(tx, sessionId, lastPosition);
    writePyramid(writes, sessionId, pyramid);
    tail.edge = pyramid.edge;
  }
  if (!tail.needsCheckpoint) return;
  const rows = await tx<StoredChain[]>`select key, fold from chains where session_id = ${sessionId}`;
  const chains = Object.fromEntries(rows.map(({ key, fold }) => [key, fold]));
  const fold = { ...folding.state, chains };
  writes.checkpoints.push({ sessionId, position: lastPosition, fold, edge: tail.edge, near: false });
}

interface LateSession {
  plan: SessionPlan;
  lastPosition: number;
  from: number;
}

/** Write the rows of a session where something changed before its end, without what follows from them. */
async function recordLate(batch: Batch, plan: SessionPlan): Promise<LateSession> {
  const { writes } = batch;
  const { session, tail } = plan;
  const sessionId = session.id;
  const known = new Set(plan.chains.keys());
  const { lastPosition, from: placedFrom } = await placeLate(batch.tx, plan);
  const { changed, moved } = plan;
  for (const { position } of moved.values()) writes.removedTurns.push({ sessionId, position });
  for (const call of changed.values()) writes.changedTurns.push(callRow(batch, plan, call, null));
  for (const placed of [...plan.late, ...tail]) {
    writePlaced(batch, plan, placed, null);
    if ('chain' in placed.item) chainNumber(plan, chainOf(placed.item));
  }
  for (const { chain, key, fold } of plan.chains.values()) {
    if (!known.has(key) || !fold) writes.chains.push({ sessionId, chain, key, fold: emptyChain() });
  }
  const positions = [...changed.values(), ...moved.values(), ...tail.slice(0, 1)].map(
    ({ position }) => position,
  );
  // What another source reported counts differently from the first item on.
  const from = plan.owner === session.owner ? Math.min(...positions, placedFrom) : 0;
  writes.historyChanges.push({ sessionId, position: from });
  return { plan, lastPosition, from };
}

async function finishLate(batch: Batch, { plan, lastPosition, from }: LateSession): Promise<void> {
  const { tx, writes } = batch;
  const { session } = plan;
  const project = batch.projects.get(session.projectId);
  const mark = markOf(plan, lastPosition);
  const refused = await refoldSession({ tx, writes, session, project, from, mark });
  for (const placed of [...plan.late, ...plan.tail]) {
    const reason = refused.get(deliveryKey(placed.streamId, placed.seq));
    if (reason) refusePlaced(batch, placed, reason);
  }
}

/** Every seq of the batch is settled with its commit, whatever its outcome. */
function writeSeqs({ arrivals, writes }: Batch, plans: readonly SessionPlan[]): void {
  const seqs = new Map<number, number[]>();
  for (const { stream, item, isResent } of arrivals) {
    if (isResent) continue;
    const ofStream = seqs.get(stream.streamId);
    if (ofStream) ofStream.push(item.seq);
    else seqs.set(stream.streamId, [item.seq]);
  }
  for (const [streamId, ofStream] of seqs) {
    writes.received.push({ streamId, ranges: formatRanges(toRanges(ofStream)) });
  }
  for (const { session, maxSeq } of plans) {
    for (const [streamId, seq] of maxSeq)
      writes.maxSeqs.push({ sessionId: session.id, streamId, maxSeq: seq });
  }
}
