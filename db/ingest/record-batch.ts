/** Records one batch in one transaction: create sessions, lock, recognise, place, fold, write, notify. */
import type postgres from 'postgres';
import { PYRAMID_MIN_TURNS } from '../../core/series/pyramid';
import { notifySessions } from '../notify-sessions';
import { transact } from '../transact';
import { markCopies, settleClaims } from './aliases';
import { describe, type FoldedTail, foldTail, writeLate } from './fold';
import { type BatchInput, lockLinked, openBatch } from './lock';
import { createSessions } from './names';
import { placeItems } from './place';
import { recogniseItems } from './recognise';
import { finishTail, refoldLate } from './refold';
import {
  type Arrival,
  arrivalsOf,
  type ItemOutcome,
  KEPT_COMPOSITIONS,
  type SessionPlan,
  STRIDE,
  type TouchedSession,
} from './types';
import { flushWrites, refusePlaced, writeSeqs } from './write';

export interface RecordedBatch {
  outcomes: Map<Arrival, ItemOutcome>;
  touched: TouchedSession[];
  created: Map<string, number>;
  linked: LinkedCalls;
}

/** Sessions to compare with the sessions to which they link. `keys`: keys of the calls to compare; null: all calls. */
interface LinkedCalls {
  ids: readonly number[];
  keys: readonly string[] | null;
}

/** Turns behind a late item, at which its sender is recorded apart. */
const SLOW_TURNS = 1_000;

/** @param from the first position that changes */
const turnsBehind = ({ next }: SessionPlan, from: number): number => (next.lastPosition - from) / STRIDE;

/** The arrivals that change something before many turns. If an arrival moves a call, it can be any one of the session. */
function lateArrivals(plan: SessionPlan): readonly Arrival[] {
  const placed = [...plan.late, ...plan.changed.values()];
  const late = placed.filter(({ position }) => turnsBehind(plan, position) >= SLOW_TURNS).flatMap(arrivalsOf);
  return late.length > 0 ? late : plan.arrivals;
}

/** Items of the batch change the start of a long session. */
export class LateFound extends Error {
  override readonly name = 'LateFound';
  constructor(readonly arrivals: readonly Arrival[]) {
    super('A late item of the batch would delay other senders.');
  }
}

/**
 * Record a batch. Rows are written first, because pyramids, checkpoints and refolds read them.
 * @throws LateFound if the input `defers` late items
 */
export async function recordBatch(tx: postgres.TransactionSql, input: BatchInput): Promise<RecordedBatch> {
  const created = await createSessions(tx, input.unknown, input.now);
  const { batch, plans: opened, holders, linked } = await openBatch(tx, input, created);
  const { writes } = batch;
  const plans = opened.filter((plan) => recogniseItems(batch, plan));
  const unused = opened.filter((plan) => !plans.includes(plan));
  await dropUnused(tx, unused, created);
  const tails: FoldedTail[] = [];
  const late = new Map<SessionPlan, number>();
  for (const plan of plans) {
    const placedFrom = await placeItems(tx, plan);
    const tail = plan.isLate ? placedFrom : foldTail(batch, plan);
    if (typeof tail === 'number') late.set(plan, writeLate(batch, plan, tail));
    else tails.push(tail);
  }
  if (input.defers) {
    const slow = [...late].filter(([plan, from]) => turnsBehind(plan, from) >= SLOW_TURNS);
    if (slow.length > 0) throw new LateFound(slow.flatMap(([plan]) => lateArrivals(plan)));
  }
  writeSeqs(batch, plans);
  await flushWrites(tx, writes, input);

  for (const tail of tails) {
    for (const [placed, refused] of tail.folding.refused) refusePlaced(batch, placed, refused);
    if (tail.turnCount > PYRAMID_MIN_TURNS || tail.needsCheckpoint) await finishTail(batch, tail);
  }
  for (const [plan, from] of late) {
    await refoldLate(batch, plan, from);
    plan.arrivals[0]?.stream.charge?.('LATE_TURNS', turnsBehind(plan, from));
  }
  for (const {
    arrivals: [first],
    session,
    next,
  } of plans) {
    const added = next.chainCount - session.chainCount;
    if (added > 0) first?.stream.charge?.('SUB_AGENTS', added);
  }
  for (const { session, compositions } of plans) {
    if (compositions.size === 0) continue;
    writes.oldCompositions.push({ sessionId: session.id, kept: KEPT_COMPOSITIONS });
    writes.compositionMarks.push({ sessionId: session.id });
  }
  await flushWrites(tx, writes, input);
  const touched = new Map<number, TouchedSession>();
  for (const { next } of plans)
    touched.set(next.id, { id: next.id, publicId: next.publicId, version: next.version });
  const { copies, added, keys } = await compareLinked(tx, plans, input.arrivals);
  const claimed: TouchedSession[] = [];
  for (const plan of plans) claimed.push(...(await settleClaims(batch, plan, holders)));
  for (const each of [...copies, ...claimed]) touched.set(each.id, each);
  await notifySessions(tx, [...touched.values()]);
  return {
    outcomes: batch.outcomes,
    touched: [...touched.values()],
    created,
    linked: {
      ids: [...linked, ...[...added, ...claimed].map(({ id }) => id)],
      keys: claimed.length === 0 ? keys : null,
    },
  };
}

/** Delete the rows of new sessions whose items were all refused. */
async function dropUnused(
  tx: postgres.TransactionSql,
  unused: readonly SessionPlan[],
  created: Map<string, number>,
): Promise<void> {
  const fresh = unused.filter(({ session }) => created.has(session.publicId) && session.deletedAt === null);
  for (const { session } of fresh) {
    await tx`delete from sessions where id = ${session.id}`;
    created.delete(session.publicId);
  }
}

/** Compare the calls of the batch with the sessions to which their sessions link. `added`: sessions with a new link. */
async function compareLinked(
  tx: postgres.TransactionSql,
  plans: readonly SessionPlan[],
  arrivals: readonly Arrival[],
) {
  const links = plans.map(({ session, arrivals: own }) => ({
    ...session,
    ...describe(session, own),
    session,
  }));
  const added = links.filter(
    ({ forkedFromId, previousId, session }) =>
      forkedFromId !== session.forkedFromId || previousId !== session.previousId,
  );
  const called = arrivals.flatMap(({ callKey, otherKeys }) =>
    callKey === null ? [] : [callKey, ...otherKeys],
  );
  const keys = added.length === 0 ? called : null;
  return { copies: await markCopies(tx, links, keys), added, keys };
}

/**
 * Compare the calls of linked sessions after the commit. The transactions of two linked sessions that run at the same
 * time do not see each other's rows.
 */
export async function settleCopies(sql: postgres.Sql, { ids, keys }: LinkedCalls): Promise<TouchedSession[]> {
  if (ids.length === 0 || keys?.length === 0) return [];
  return transact(sql, async (tx) => {
    const touched = await markCopies(tx, await lockLinked(tx, ids), keys);
    await notifySessions(tx, touched);
    return touched;
  });
}
