/** One batch in one transaction: lock, recognise, fold, write, notify. Everything or nothing. */
import type postgres from 'postgres';
import { emptyChain } from '../../core/accounting/empty-fold';
import { toRanges } from '../../core/protocol/ranges';
import { PYRAMID_MIN_TURNS } from '../../core/series/pyramid';
import { formatRanges } from '../codes/seq-ranges';
import { groupBy } from '../group-by';
import { notifySessions } from '../notify-sessions';
import { settleClaims } from './aliases';
import { type FoldedTail, foldTail, writeItem } from './fold';
import { type BatchInput, openBatch } from './lock';
import { placeItems } from './place';
import { buildPyramid, extendPyramid, type Pyramid, readPyramid, writePyramid } from './pyramid';
import { recogniseItems, refusePlaced } from './recognise';
import { refoldSession } from './refold';
import {
  type Arrival,
  chainOf,
  type ItemOutcome,
  KEPT_COMPOSITIONS,
  type SessionPlan,
  type StoredChain,
  type TouchedSession,
} from './types';
import { type Batch, flushWrites } from './write';

export interface RecordedBatch {
  outcomes: Map<Arrival, ItemOutcome>;
  touched: TouchedSession[];
  created: Map<string, number>;
}

/** Write rows first; pyramids, checkpoints and refolds read them afterwards. */
export async function recordBatch(tx: postgres.TransactionSql, input: BatchInput): Promise<RecordedBatch> {
  const { batch, plans: opened, created, holders } = await openBatch(tx, input);
  const { writes } = batch;
  const plans = opened.filter((plan) => recogniseItems(batch, plan));
  const tails: FoldedTail[] = [];
  const late = new Map<SessionPlan, number>();
  for (const plan of plans) {
    if (isLate(plan)) late.set(plan, await recordLate(batch, plan));
    else tails.push(foldTail(batch, plan));
  }
  writeSeqs(batch, plans);
  await flushWrites(tx, writes);

  for (const tail of tails) {
    for (const [placed, refused] of tail.folding.refused) refusePlaced(batch, placed, refused);
    if (tail.turnCount > PYRAMID_MIN_TURNS || tail.needsCheckpoint) await finishTail(batch, tail);
  }
  for (const [plan, from] of late) await refoldLate(batch, plan, from);
  for (const { session, compositions } of plans) {
    if (compositions.size === 0) continue;
    writes.oldCompositions.push({ sessionId: session.id, kept: KEPT_COMPOSITIONS });
    writes.compositionMarks.push({ sessionId: session.id });
  }
  await flushWrites(tx, writes);
  const touched = new Map<number, TouchedSession>();
  for (const { next } of plans)
    touched.set(next.id, { id: next.id, publicId: next.publicId, version: next.version });
  for (const plan of plans.filter(({ claims }) => claims.length > 0)) {
    for (const each of await settleClaims(batch, plan, holders)) touched.set(each.id, each);
  }
  await notifySessions(tx, [...touched.values()]);
  return { outcomes: batch.outcomes, touched: [...touched.values()], created };
}

/** Whether the batch changes something before the end of the stored items. */
function isLate({ session, next: { owner }, late, changed, moved }: SessionPlan): boolean {
  if (late.length > 0 || changed.size > 0 || moved.size > 0 || session.recomputeFrom !== null) return true;
  // A better source changes how the items of other sources count.
  return owner !== session.owner && session.lastPosition !== 0 && session.sources !== 1 << owner;
}

/** Write the pyramid of a long session, and the next checkpoint. */
async function finishTail({ tx, writes }: Batch, tail: FoldedTail): Promise<void> {
  const { folding, turnsBefore, turnCount, needsCheckpoint } = tail;
  const { id: sessionId, lastPosition: position } = tail.plan.next;
  let pyramid: Pyramid | null = null;
  if (folding.points) {
    pyramid = await readPyramid(tx, sessionId, turnsBefore);
    extendPyramid(pyramid, folding.points);
  } else if (turnCount > PYRAMID_MIN_TURNS) pyramid = await buildPyramid(tx, sessionId, position);
  if (pyramid) writePyramid(writes, sessionId, pyramid);
  if (!needsCheckpoint) return;
  const rows = await tx<StoredChain[]>`select key, fold from chains where session_id = ${sessionId}`;
  const chains = Object.fromEntries(rows.map(({ key, fold }) => [key, fold]));
  writes.checkpoints.push({
    sessionId,
    position,
    fold: { ...folding.state, chains },
    edge: pyramid?.edge ?? null,
    near: false,
  });
}

/**
 * Write the rows of a late session without the columns of the fold.
 * @returns the position from which to fold
 */
async function recordLate(batch: Batch, plan: SessionPlan): Promise<number> {
  const { tx, writes } = batch;
  const { session, next, changed, moved } = plan;
  const sessionId = session.id;
  const placedFrom = await placeItems(tx, plan);
  for (const { position } of moved.values()) writes.removedTurns.push({ sessionId, position });
  for (const call of changed.values()) writeItem(batch, plan, call, null, writes.changedTurns);
  for (const placed of [...plan.late, ...plan.tail]) {
    writeItem(batch, plan, placed, null);
    if ('chain' in placed.item) plan.numberOf(chainOf(placed.item));
  }
  for (const { chain, key, fold } of plan.chains.values()) {
    if (!fold) writes.chains.push({ sessionId, chain, key, fold: emptyChain() });
  }
  const rows = [...changed.values(), ...moved.values(), ...plan.tail.slice(0, 1)];
  // A new owner changes how items count from the first one on.
  const from =
    next.owner === session.owner ? Math.min(placedFrom, ...rows.map(({ position }) => position)) : 0;
  writes.historyChanges.push({ sessionId, position: from });
  return from;
}

async function refoldLate(batch: Batch, plan: SessionPlan, from: number): Promise<void> {
  const { tx, writes, projects } = batch;
  const session = plan.next;
  const refused = await refoldSession({
    tx,
    writes,
    session,
    project: projects.get(session.projectId),
    from,
  });
  for (const placed of [...plan.late, ...plan.tail]) {
    const reason = refused.get(placed.position);
    if (reason) refusePlaced(batch, placed, reason);
  }
}

/** Settle every seq of the batch, whatever its outcome. */
function writeSeqs({ arrivals, writes }: Batch, plans: readonly SessionPlan[]): void {
  const fresh = arrivals.filter(({ isResent }) => !isResent);
  for (const [streamId, own] of groupBy(fresh, ({ streamId }) => streamId)) {
    writes.received.push({ streamId, ranges: formatRanges(toRanges(own.map(({ seq }) => seq))) });
  }
  for (const { session, maxSeq, compositions } of plans) {
    const sessionId = session.id;
    for (const [streamId, seq] of maxSeq) writes.maxSeqs.push({ sessionId, streamId, maxSeq: seq });
    for (const report of compositions.values()) writes.compositions.push({ ...report, sessionId });
  }
}
