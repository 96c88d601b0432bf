/**
 * One batch in one transaction: locks, comparison, order, sums, rows. Everything or nothing; what it returns is
 * true once the transaction has committed.
 */
import type postgres from 'postgres';
import type { Thresholds } from '../../core/accounting/types';
import { inRanges, toRanges } from '../../core/protocol/ranges';
import type { Arrival } from './arrivals';
import { BatchOutdated } from './batch-outdated';
import { findHolders, settleClaims } from './claim-aliases';
import { finishCompositions, writeCompositions } from './compositions';
import { followRedirects, type KnownNames, type KnownSession } from './known-names';
import { type LockedBatch, lockBatch, lockStreams, type SessionArrivals } from './lock-batch';
import { notifySessions } from './notify';
import { readKnownDeliveries } from './read-known';
import { recordLate } from './record-late';
import { finishTails, recordTails } from './record-tails';
import type { Recorder } from './recorder';
import { createSessions } from './resolve-sessions';
import { deliveryRow } from './rows';
import { formatRanges } from './seq-ranges';
import { DELIVERY_OUTCOME, type DeliveryRecord, isUntouched, type SessionPlan } from './session-plan';
import { type BatchMemory, settleItems } from './settle-items';
import { projectThresholds } from './thresholds';
import type { ItemOutcome, TouchedSession } from './types';
import { flushWrites, newWriteSet, type WriteSet } from './write-set';

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
  /** Sessions to remember after the commit, by name. */
  created: Map<string, KnownSession>;
}

export async function recordBatch(tx: postgres.TransactionSql, batch: Batch): Promise<RecordedBatch> {
  const { arrivals, names } = batch;
  await preferIndexes(tx);
  const streams = lockStreams(tx, unique(arrivals.map(({ stream }) => stream.streamId)));
  const [, created] = await Promise.all([streams, createSessions(tx, batch.unknown, batch.now)]);
  const holders = await findHolders(tx, arrivals);
  const groups = groupBySession(batch, created, holders.sessions);
  const locked = await lockBatch(tx, streams, groups);
  checkRedirects(locked, names, groups);

  const memory: BatchMemory = {
    locked,
    known: await readKnownDeliveries(tx, groups, locked.received, locked.reports),
    settled: new Map(),
    deliveries: [],
    outcomes: new Map(),
  };
  const plans = groups.flatMap(({ session, arrivals: items }) => {
    const plan = beginPlan(locked, session);
    settleItems(plan, items, memory);
    return isUntouched(plan) ? [] : [plan];
  });
  const refuseRow = refuser(memory);
  const recorder: Recorder = {
    tx,
    models: batch.models,
    thresholdsOf: ({ projectId }) => batch.thresholds ?? projectThresholds(locked.settings.get(projectId)),
    projectOf: projectNames(arrivals),
    refuseRow,
    writes: newWriteSet(),
  };
  const tails = await recordTails(recorder, plans.filter(isSimple));
  const late = plans.filter((plan) => !isSimple(plan));
  const finishLate = await recordLate(recorder, late);
  writeDeliveries(recorder.writes, memory, arrivals, plans);
  for (const plan of plans) writeCompositions(recorder.writes, plan);
  await flushWrites(tx, recorder.writes);

  recorder.writes = newWriteSet();
  await finishTails(recorder, tails);
  await finishLate(recorder);
  finishCompositions(recorder.writes, plans);
  await flushWrites(tx, recorder.writes);

  const touched = new Map(plans.map(({ session }) => [session.id, touchedOf(session)]));
  await settleClaims(recorder, plans, holders, touched);
  await notifySessions(tx, [...touched.values()]);
  return { outcomes: memory.outcomes, touched: [...touched.values()], created };
}

/**
 * Every statement here looks up or writes rows by their keys. A plan that was made while a table was small would
 * read all of it later, and planning anew each time costs more than the work itself.
 */
function preferIndexes(tx: postgres.TransactionSql): Promise<unknown> {
  return tx`
    select set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
      set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`;
}

/** Sessions in id order, which is the order of their locks, each with its items in order of arrival. */
function groupBySession(
  { arrivals, names }: Batch,
  created: ReadonlyMap<string, KnownSession>,
  also: readonly KnownSession[],
): SessionArrivals[] {
  const groups = new Map<number, SessionArrivals>();
  for (const session of also) groups.set(session.id, { session, arrivals: [] });
  for (const arrival of arrivals) {
    const known = created.get(arrival.sessionName) ?? names.sessions.get(arrival.sessionName);
    if (!known) throw new BatchOutdated(`the session ${arrival.item.session} is not known any more`);
    const session = followRedirects(names, known);
    const group = groups.get(session.id) ?? { session, arrivals: [] };
    group.arrivals.push(arrival);
    groups.set(session.id, group);
  }
  return [...groups.values()].sort((a, b) => a.session.id - b.session.id);
}

/** Items of a session that was adopted meanwhile go elsewhere: which must be locked in its place. */
function checkRedirects(locked: LockedBatch, names: KnownNames, groups: readonly SessionArrivals[]): void {
  for (const { session, arrivals } of groups) {
    const row = locked.sessions.get(session.id);
    if (!row) throw new BatchOutdated(`the session ${session.id} has no row`);
    if (row.adoptedBy === null || arrivals.length === 0) continue;
    names.redirects.set(row.id, { id: row.adoptedBy, month: row.adopterMonth ?? row.month });
    throw new BatchOutdated(`the session ${row.id} was adopted by ${row.adoptedBy}`);
  }
}

function beginPlan(locked: LockedBatch, { id }: KnownSession): SessionPlan {
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
    lastActivityAt: session.lastActivityAt?.getTime() ?? 0,
    chainCount: session.chainCount,
  };
}

/** Whether everything new simply follows what the session has. */
function isSimple({ session, late, changed, moved, owner }: SessionPlan): boolean {
  if (late.length > 0 || changed.size > 0 || moved.size > 0 || session.recomputeFrom !== null) return false;
  // A better source than the items before it makes them count anew; those of one source never do.
  return owner === session.owner || session.lastPosition === 0 || session.sources === 1 << owner;
}

function refuser(memory: BatchMemory): Recorder['refuseRow'] {
  return (row, refused) => {
    for (const arrival of row.arrivals) {
      const { stream, item, hash, receivedAt } = arrival;
      const outcome = DELIVERY_OUTCOME.refused;
      const delivery: DeliveryRecord = {
        streamId: stream.streamId,
        seq: item.seq,
        hash,
        outcome,
        refusal: refused,
        receivedAt,
      };
      memory.deliveries.push(delivery);
      memory.outcomes.set(arrival, { outcome: 'refused', ...refused });
    }
  };
}

/** Every seq of the batch is settled with its commit, whatever became of it. */
function writeDeliveries(
  writes: WriteSet,
  memory: BatchMemory,
  arrivals: readonly Arrival[],
  plans: readonly SessionPlan[],
): void {
  writes.deliveries.push(...memory.deliveries.map(deliveryRow));
  const seqs = new Map<number, number[]>();
  for (const { stream, item } of arrivals) {
    const received = memory.locked.received.get(stream.streamId) ?? [];
    if (inRanges(received, item.seq)) continue;
    const ofStream = seqs.get(stream.streamId) ?? [];
    ofStream.push(item.seq);
    seqs.set(stream.streamId, ofStream);
  }
  for (const [t, ofStream] of seqs) writes.received.push({ t, g: formatRanges(toRanges(ofStream)) });
  for (const { session, maxSeq } of plans) {
    for (const [t, q] of maxSeq) writes.maxSeqs.push({ s: session.id, t, q });
  }
}

function projectNames(arrivals: readonly Arrival[]): Recorder['projectOf'] {
  const names = new Map(arrivals.map(({ stream }) => [stream.projectId, stream.project]));
  return ({ projectId }) => names.get(projectId) ?? '';
}

function touchedOf({ id, publicId, version }: SessionPlan['session']): TouchedSession {
  return { id, publicId, version: version + 1 };
}

function unique(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}
