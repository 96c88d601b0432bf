/**
 * One batch in one transaction: lock, recognise, place, fold, write, notify. Everything or nothing; what it returns is
 * true once the transaction has committed.
 */
import type postgres from 'postgres';
import { emptyChain, MAIN_CHAIN } from '../../core/accounting/empty-fold';
import type { ChainFold } from '../../core/accounting/fold-types';
import type { Thresholds } from '../../core/accounting/types';
import { inRanges, toRanges } from '../../core/protocol/ranges';
import { type Edge, PYRAMID_MIN_TURNS } from '../../core/series/pyramid';
import { formatRanges } from '../codes/seq-ranges';
import { notifySessions } from '../notify-sessions';
import { projectThresholds } from '../queries/project-settings';
import { findHolders, type Holders, settleClaims } from './aliases';
import { turnRow } from './columns';
import {
  chainNumber,
  type Description,
  describe,
  type Folding,
  foldTail,
  modelOf,
  writePlaced,
  writeSession,
} from './fold';
import { type LockedBatch, lockBatch, lockStreams, type SessionArrivals } from './lock';
import { createSessions, followRedirects, type KnownNames } from './names';
import { numberTail, placeLate } from './place';
import { buildPyramid, extendPyramid, readEdges, writePyramid } from './pyramid';
import { type BatchMemory, recogniseItems, refusePlaced } from './recognise';
import { CHECKPOINT_EVERY, refoldSession } from './refold';
import {
  type Arrival,
  BatchOutdated,
  deliveryKey,
  type ItemOutcome,
  KEPT_COMPOSITIONS,
  type SessionPlan,
  type TouchedSession,
} from './types';
import { flushWrites, newWriteSet, type WriteSet } from './write';

export interface Batch {
  arrivals: readonly Arrival[];
  /** First arrival of each session that had no row a moment ago. */
  unknown: readonly Arrival[];
  names: KnownNames;
  /** Ids of all model names in the batch. */
  models: ReadonlyMap<string, number>;
  now: number;
  /** Overrides the settings of the projects. */
  thresholds?: Thresholds | undefined;
}

export interface RecordedBatch {
  outcomes: Map<Arrival, ItemOutcome>;
  touched: TouchedSession[];
  /** Ids of sessions to remember after the commit, by name. */
  created: Map<string, number>;
}

/** What the steps of one batch share. */
interface Recorder {
  tx: postgres.TransactionSql;
  models: ReadonlyMap<string, number>;
  memory: BatchMemory;
  writes: WriteSet;
  thresholdsOf(projectId: number): Thresholds;
  /** Name of a project. */
  projectOf(projectId: number): string;
}

export async function recordBatch(tx: postgres.TransactionSql, batch: Batch): Promise<RecordedBatch> {
  const { arrivals, names } = batch;
  await preferIndexes(tx);
  const streams = lockStreams(tx, unique(arrivals.map(({ stream }) => stream.streamId)));
  const [, created] = await Promise.all([streams, createSessions(tx, batch.unknown, batch.now)]);
  const holders = await findHolders(tx, arrivals);
  const groups = groupBySession(batch, created, holders);
  const locked = await lockBatch(tx, streams, groups);
  checkRedirects(locked, names, groups);

  const memory: BatchMemory = { locked, settled: new Map(), deliveries: [], outcomes: new Map() };
  const plans: SessionPlan[] = [];
  for (const { session, arrivals: items } of groups) {
    const plan = beginPlan(locked, session.id);
    recogniseItems(plan, items, memory);
    if (isTouched(plan)) plans.push(plan);
  }
  const projects = new Map(arrivals.map(({ stream }) => [stream.projectId, stream.project]));
  const recorder: Recorder = {
    tx,
    models: batch.models,
    memory,
    writes: newWriteSet(),
    thresholdsOf: (id) => batch.thresholds ?? projectThresholds(locked.settings.get(id)),
    projectOf: (id) => projects.get(id) ?? '',
  };
  await record(recorder, plans, arrivals);
  const touched = new Map(
    plans.map(({ session: { id, publicId, version } }) => [id, { id, publicId, version: version + 1 }]),
  );
  for (const session of await settleClaims(recorder, plans, holders)) touched.set(session.id, session);
  await notifySessions(tx, [...touched.values()]);
  return { outcomes: memory.outcomes, touched: [...touched.values()], created };
}

/** Rows first; then, from the rows just written, what grows more slowly and what must be folded again. */
async function record(
  recorder: Recorder,
  plans: readonly SessionPlan[],
  arrivals: readonly Arrival[],
): Promise<void> {
  const tails = plans.filter(isSimple).map((plan) => recordTail(recorder, plan));
  await extendPyramids(recorder, tails);
  const late: LateSession[] = [];
  for (const plan of plans) if (!isSimple(plan)) late.push(await recordLate(recorder, plan));
  writeDeliveries(recorder, arrivals, plans);
  for (const plan of plans) writeCompositions(recorder.writes, plan);
  await flushWrites(recorder.tx, recorder.writes);

  recorder.writes = newWriteSet();
  for (const tail of tails) await finishTail(recorder, tail);
  for (const session of late) await finishLate(recorder, session);
  for (const { session, compositions } of plans) {
    if (compositions.size === 0) continue;
    recorder.writes.oldCompositions.push({ sessionId: session.id, kept: KEPT_COMPOSITIONS });
    recorder.writes.compositionMarks.push({ sessionId: session.id });
  }
  await flushWrites(recorder.tx, recorder.writes);
}

/**
 * Every statement here looks up or writes rows by their keys. A plan that was made while a table was small would read
 * all of it later, and planning each time costs more than the work itself.
 */
function preferIndexes(tx: postgres.TransactionSql): Promise<unknown> {
  return tx`
    select set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
      set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`;
}

/** Sessions in id order, which is the order of their locks, each with its items in order of arrival. */
function groupBySession(
  { arrivals, names }: Batch,
  created: ReadonlyMap<string, number>,
  holders: Holders,
): SessionArrivals[] {
  const groups = new Map<number, SessionArrivals>();
  for (const { id } of [...holders.values()].flat()) groups.set(id, { session: { id }, arrivals: [] });
  for (const arrival of arrivals) {
    const known = created.get(arrival.sessionName) ?? names.sessions.get(arrival.sessionName);
    if (known === undefined)
      throw new BatchOutdated(`the session ${arrival.item.session} is not known any more`);
    const id = followRedirects(names, known);
    const group = groups.get(id) ?? { session: { id }, arrivals: [] };
    group.arrivals.push(arrival);
    groups.set(id, group);
  }
  return [...groups.values()].sort((a, b) => a.session.id - b.session.id);
}

/** Items of a session that was adopted meanwhile go elsewhere: that session must be locked instead. */
function checkRedirects(locked: LockedBatch, names: KnownNames, groups: readonly SessionArrivals[]): void {
  for (const { session, arrivals } of groups) {
    const row = locked.sessions.get(session.id);
    if (!row) throw new BatchOutdated(`the session ${session.id} has no row`);
    if (row.adoptedBy === null || arrivals.length === 0) continue;
    names.redirects.set(row.id, row.adoptedBy);
    throw new BatchOutdated(`the session ${row.id} was adopted by ${row.adoptedBy}`);
  }
}

function beginPlan(locked: LockedBatch, id: number): SessionPlan {
  const session = locked.sessions.get(id);
  if (!session) throw new TypeError('a locked session has a row');
  return {
    session,
    chains: new Map(locked.chains.get(id)),
    tail: [],
    late: [],
    changed: new Map(),
    moved: new Map(),
    compositions: new Map(),
    claims: [],
    maxSeq: new Map(),
    owner: session.owner,
    sources: session.sources,
    lastActivityAt: session.lastActivityAt ?? 0,
    chainCount: session.chainCount,
  };
}

function isTouched(plan: SessionPlan): boolean {
  const { tail, late, changed, moved, compositions, owner, session } = plan;
  const count = tail.length + late.length + changed.size + moved.size + compositions.size;
  return count > 0 || owner !== session.owner;
}

/** Whether everything new simply follows what the session has. */
function isSimple({ session, late, changed, moved, owner }: SessionPlan): boolean {
  if (late.length > 0 || changed.size > 0 || moved.size > 0 || session.recomputeFrom !== null) return false;
  // A better source than the items before it changes how they count; those of one source never do.
  return owner === session.owner || session.lastPosition === 0 || session.sources === 1 << owner;
}

interface TailSession {
  plan: SessionPlan;
  folding: Folding;
  lastPosition: number;
  /** Turns of the main chain before the batch. */
  turnsBefore: number;
  edge: Edge | null;
  needsCheckpoint: boolean;
}

/** Fold a session's new items onto its state. */
function recordTail(recorder: Recorder, plan: SessionPlan): TailSession {
  const { writes, models, memory } = recorder;
  const { session, tail } = plan;
  const turnsBefore = plan.chains.get(MAIN_CHAIN)?.fold?.turnCount ?? 0;
  const lastPosition = numberTail(plan, session.lastPosition);
  const thresholds = recorder.thresholdsOf(session.projectId);
  const folding = foldTail(plan, {
    writes,
    thresholds,
    models,
    refusePlaced: (placed, refused) => refusePlaced(memory, placed, refused),
  });
  const items = session.itemsSinceCheckpoint + tail.length;
  const needsCheckpoint = items >= CHECKPOINT_EVERY;
  const project = recorder.projectOf(session.projectId);
  writeSession(
    writes,
    session,
    { ...markOf(plan, lastPosition), recomputeFrom: null },
    {
      state: folding.state,
      thresholds,
      description: tail.reduce<Description>((before, { item }) => describe(before, item, project), session),
      startedAt: (session.lastPosition === 0 ? folding.startedAt : null) ?? session.startedAt,
      endedAt: folding.endedAt === undefined ? session.endedAt : folding.endedAt,
      itemsSinceCheckpoint: needsCheckpoint ? 0 : items,
    },
  );
  return { plan, folding, lastPosition, turnsBefore, edge: null, needsCheckpoint };
}

function markOf(plan: SessionPlan, lastPosition: number): WriteSet['marks'][number] {
  const { session, owner, sources, chainCount, lastActivityAt } = plan;
  const { id, recomputeFrom, version } = session;
  return {
    id,
    owner,
    sources,
    lastPosition,
    chainCount,
    recomputeFrom,
    lastActivityAt: lastActivityAt || null,
    version: version + 1,
  };
}

async function extendPyramids({ tx, writes }: Recorder, tails: readonly TailSession[]): Promise<void> {
  const long = tails.filter(({ turnsBefore }) => turnsBefore > PYRAMID_MIN_TURNS);
  if (long.length === 0) return;
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
async function finishTail({ tx, writes }: Recorder, tail: TailSession): Promise<void> {
  const { plan, folding, lastPosition, turnsBefore } = tail;
  const { id } = plan.session;
  const turnCount = folding.state.chains[MAIN_CHAIN]?.turnCount ?? 0;
  if (turnsBefore <= PYRAMID_MIN_TURNS && turnCount > PYRAMID_MIN_TURNS) {
    const pyramid = await buildPyramid(tx, id, lastPosition);
    writePyramid(writes, id, pyramid);
    tail.edge = pyramid.edge;
  }
  if (!tail.needsCheckpoint) return;
  const rows = await tx<{ key: string; fold: ChainFold }[]>`
    select key, fold from chains where session_id = ${id}`;
  const chains = Object.fromEntries(rows.map(({ key, fold }) => [key, fold]));
  const fold = { ...folding.state, chains };
  writes.checkpoints.push({ sessionId: id, position: lastPosition, fold, edge: tail.edge, near: false });
}

interface LateSession {
  plan: SessionPlan;
  lastPosition: number;
  /** Position of the first item that changed. */
  from: number;
}

/** Write the rows of a session where something changed before its end, without what follows from them. */
async function recordLate(recorder: Recorder, plan: SessionPlan): Promise<LateSession> {
  const { tx, writes, models } = recorder;
  const { session, changed, moved, tail } = plan;
  const sessionId = session.id;
  const placed = await placeLate(tx, plan);
  const known = new Set(plan.chains.keys());
  for (const { position } of moved.values()) writes.removedTurns.push({ sessionId, position });
  for (const call of changed.values()) {
    const chain = chainNumber(plan, call.item.chain ?? MAIN_CHAIN);
    writes.changedTurns.push(turnRow(call, { sessionId, chain, modelId: modelOf(call, models) }, null));
  }
  for (const item of [...plan.late, ...tail]) {
    writePlaced(plan, item, null, recorder);
    if ('chain' in item.item) chainNumber(plan, item.item.chain ?? MAIN_CHAIN);
  }
  for (const { chain, key, fold } of plan.chains.values()) {
    if (!known.has(key) || !fold) writes.chains.push({ sessionId, chain, key, fold: emptyChain() });
  }
  const positions = [...changed.values(), ...moved.values(), ...tail.slice(0, 1)].map(
    ({ position }) => position,
  );
  // What another source reported counts differently from the first item on.
  const from =
    plan.owner === session.owner ? Math.min(...positions, placed.from ?? Number.MAX_SAFE_INTEGER) : 0;
  writes.historyChanges.push({ sessionId, position: from });
  return { plan, lastPosition: placed.lastPosition, from };
}

async function finishLate(recorder: Recorder, { plan, lastPosition, from }: LateSession): Promise<void> {
  const { tx, writes, memory } = recorder;
  const { session } = plan;
  const items = [...plan.late, ...plan.tail];
  const { id: _id, ...mark } = markOf(plan, lastPosition);
  const refused = await refoldSession({
    tx,
    writes,
    session,
    project: recorder.projectOf(session.projectId),
    thresholds: recorder.thresholdsOf(session.projectId),
    from,
    mark,
    isDescribed: items.some(({ item }) => item.type === 'session_start'),
  });
  for (const item of items) {
    const reason = refused.get(deliveryKey(item.streamId, item.seq));
    if (reason) refusePlaced(memory, item, reason);
  }
}

/** Every seq of the batch is settled with its commit, whatever its outcome. */
function writeDeliveries(
  { writes, memory }: Recorder,
  arrivals: readonly Arrival[],
  plans: readonly SessionPlan[],
): void {
  writes.deliveries.push(...memory.deliveries);
  const seqs = new Map<number, number[]>();
  for (const { stream, item } of arrivals) {
    const received = memory.locked.received.get(stream.streamId) ?? [];
    if (inRanges(received, item.seq)) continue;
    const ofStream = seqs.get(stream.streamId) ?? [];
    ofStream.push(item.seq);
    seqs.set(stream.streamId, ofStream);
  }
  for (const [streamId, ofStream] of seqs) {
    writes.received.push({ streamId, ranges: formatRanges(toRanges(ofStream)) });
  }
  for (const { session, maxSeq } of plans) {
    for (const [streamId, seq] of maxSeq)
      writes.maxSeqs.push({ sessionId: session.id, streamId, maxSeq: seq });
  }
}

function writeCompositions(writes: WriteSet, { session, compositions }: SessionPlan): void {
  for (const report of compositions.values()) writes.compositions.push({ ...report, sessionId: session.id });
}

function unique(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}
