/**
 * Records deliveries in one transaction per lane. All deliveries are durable when the function returns. If PostgreSQL
 * refuses a batch, savepoints of a second attempt find the invalid items.
 */
import type postgres from 'postgres';
import { sessionId } from '../../core/identity/session-id';
import type { Item, ItemOf } from '../../core/protocol/items';
import { inRanges, toRanges } from '../../core/protocol/ranges';
import { ruleBook } from '../alerts/rule-book';
import { callKey, hashItem } from '../codes/hash-item';
import { formatRanges } from '../codes/seq-ranges';
import { sourceCode } from '../codes/turn-bits';
import { groupBy } from '../group-by';
import { judgeFault } from '../judge-fault';
import { ensureMonths, forgetMonths, isNewMonth, monthAt } from '../partitions';
import { transact } from '../transact';
import { figuresFrom, normalCall } from './columns';
import { lockStreams } from './lock';
import { findUnknown, followRedirects, learnModels, namesOf, openingMonth } from './names';
import { LateFound, type RecordedBatch, recordBatch, settleCopies } from './record-batch';
import {
  type Arrival,
  BatchOutdated,
  DELIVERY_OUTCOME,
  type Delivery,
  deliveryKey,
  type ItemOutcome,
  type OpenStream,
  type Recorded,
  type Refused,
  senderOf,
  type TouchedSession,
} from './types';
import { flushWrites, newWriteSet, noteDelivery, PoisonFound } from './write';

/** Attempts per batch. A deadlock or a race with another process causes a retry. */
const MAX_ATTEMPTS = 8;

/**
 * Record deliveries in order of arrival. `now`: the server's time, milliseconds.
 * @param defers leave out the deliveries of some senders: with an item that the database refuses, with a late item of a
 * long session, or with a new session of another month, because that month may have no partitions yet
 * @throws if the database cannot be written to. The sender may then resend everything.
 */
export async function recordDeliveries(
  sql: postgres.Sql,
  deliveries: readonly Delivery[],
  { now, defers = false }: { now: number; defers?: boolean },
): Promise<Recorded> {
  const names = namesOf(sql);
  const left = defers ? new Set<Arrival>() : null;
  const arrivals = deliveries.map(toArrivals);
  const lanes = splitLanes(arrivals.flat(), (name) => {
    const id = names.sessions.get(name);
    return id === undefined ? name : followRedirects(names, id);
  }).map(async (lane) => {
    if (!left) return recordSafely(sql, lane, now);
    const senders = groupBy(lane, ({ stream }) => senderOf(stream));
    for (const sender of await findOpeners(sql, lane, now)) {
      for (const arrival of senders.get(sender) ?? []) left.add(arrival);
      senders.delete(sender);
    }
    return recordSound(sql, [...senders.values()], now, left);
  });
  // After an error, wait for the transactions of the other lanes.
  await Promise.allSettled(lanes);
  const recorded = (await Promise.all(lanes)).flat();
  const outcomes = new Map(recorded.flatMap((batch) => [...batch.outcomes]));
  const touched = new Map<number, TouchedSession>();
  for (const batch of recorded) {
    const copies = await settleCopies(sql, batch.linked);
    for (const session of [...batch.touched, ...copies]) touched.set(session.id, session);
  }
  const deferred = new Set(
    [...arrivals.keys()].filter((index) => arrivals[index]?.some((one) => left?.has(one))),
  );
  return {
    deferred,
    outcomes: arrivals.map((of, index) =>
      (deferred.has(index) ? [] : of).map((arrival) => {
        const outcome = outcomes.get(arrival);
        if (!outcome) throw new Error('an item was left without an outcome');
        return outcome;
      }),
    ),
    touched: [...touched.values()],
  };
}

/** Senders of new sessions of another month than the current one: that month may have no partitions yet. */
async function findOpeners(sql: postgres.Sql, arrivals: readonly Arrival[], now: number): Promise<string[]> {
  const unknown = await findUnknown(sql, arrivals);
  const isOpener = (month: number) => month !== monthAt(now, now) && isNewMonth(sql, month);
  const openers = unknown.filter((arrival) => isOpener(openingMonth(arrival, now)));
  return openers.map(({ stream }) => senderOf(stream));
}

const NONE: readonly never[] = [];

function toArrivals({ stream, items, receivedAt, clockAgrees = false }: Delivery): Arrival[] {
  const { streamId } = stream;
  const source = sourceCode(stream.source);
  const publicIds = new Map<string, string>();
  const publicIdOf = (session: string) => {
    const known = publicIds.get(session) ?? sessionId(stream.project, session, stream.client);
    publicIds.set(session, known);
    return known;
  };
  return items.map((item): Arrival => {
    const { seq, session } = item;
    const isCall = item.type === 'turn' || item.type === 'reading';
    const keys = isCall ? callKeys(item, stream.stream) : [];
    const call = keys[0] ?? null;
    const placed = isCall && call !== null ? normalCall(item, call) : null;
    // Calls and reports share one object shape, because a second shape would slow down the batch.
    return {
      streamId,
      seq,
      hash: hashItem(item),
      source,
      // Columns store whole milliseconds, and a refold must read the same time.
      runnerTime: Math.floor(item.at),
      serverTime: receivedAt,
      clockAgrees,
      callKey: call,
      item: placed ?? linked(item, stream, publicIdOf),
      position: 0,
      figures: placed ? figuresFrom(placed, source) : 0,
      arrivals: NONE,
      stream,
      otherKeys: keys.length < 2 ? NONE : keys.slice(1),
      key: deliveryKey(streamId, seq),
      session,
      publicId: publicIdOf(session),
      composition: item.type === 'turn' && item.scope !== 'side' ? item.composition : undefined,
      isResent: false,
    } as Arrival;
  });
}

/** Replace the links of a session_start by public ids. For a client's session, add the client and its session id. */
function linked(item: Item, { client }: OpenStream, publicIdOf: (session: string) => string): Item {
  if (item.type !== 'session_start') return item;
  const { previous, forkedFrom, session } = item;
  return {
    ...(client === null ? {} : { client, clientSessionId: session }),
    ...item,
    ...(previous === undefined ? {} : { previous: publicIdOf(previous) }),
    ...(forkedFrom === undefined ? {} : { forkedFrom: publicIdOf(forkedFrom) }),
  };
}

/** Keys of the call's ids, or of stream and seq. */
function callKeys({ type, call, seq }: ItemOf<'turn' | 'reading'>, stream: string): string[] {
  return (Array.isArray(call) ? call : [call]).map((id) => callKey(id, type, stream, seq));
}

async function recordSafely(
  sql: postgres.Sql,
  arrivals: readonly Arrival[],
  now: number,
): Promise<RecordedBatch[]> {
  const [arrival] = arrivals;
  if (!arrival) return [];
  try {
    return [await recordTogether(sql, arrivals, now, { findsPoison: true })];
  } catch (error) {
    const isPoison = error instanceof PoisonFound;
    if (isPoison && arrivals.some(({ key }) => error.faults.has(key)))
      return refusePoison(sql, arrivals, error, now);
    if (!isPoison && judgeFault(error) !== 'data') throw error;
    if (arrivals.length === 1) return [await refuseArrival(sql, arrival, error, now)];
  }
  const middle = Math.ceil(arrivals.length / 2);
  const first = await recordSafely(sql, arrivals.slice(0, middle), now);
  return [...first, ...(await recordSafely(sql, arrivals.slice(middle), now))];
}

/** Record arrivals without those that the database refuses. A refused turn leaves a gap. */
async function refusePoison(
  sql: postgres.Sql,
  arrivals: readonly Arrival[],
  { faults }: PoisonFound,
  now: number,
): Promise<RecordedBatch[]> {
  const poison = arrivals.filter(({ key }) => faults.has(key));
  // A gap that is refused too stays out.
  const out = new Set(poison.filter(({ item, refusal }) => item.type !== 'turn' || refusal !== undefined));
  for (const arrival of poison) arrival.refusal = refusedBy(faults.get(arrival.key));
  const settled = out.size === 0 ? [] : [await settleRefused(sql, [...out])];
  return [
    ...settled,
    ...(await recordSafely(
      sql,
      arrivals.filter((arrival) => !out.has(arrival)),
      now,
    )),
  ];
}

/**
 * Record groups of arrivals without searching for the invalid item of a group. Halves find the groups that contain one.
 * These groups, and those with late items, are added to `left`.
 */
async function recordSound(
  sql: postgres.Sql,
  groups: readonly Arrival[][],
  now: number,
  left: Set<Arrival>,
): Promise<RecordedBatch[]> {
  if (groups.length === 0) return [];
  try {
    return [await recordTogether(sql, groups.flat(), now, { defers: true })];
  } catch (error) {
    if (error instanceof LateFound) {
      const late = new Set(error.arrivals.map(({ stream }) => senderOf(stream)));
      const isLate = ([first]: readonly Arrival[]) => first !== undefined && late.has(senderOf(first.stream));
      for (const arrival of groups.filter(isLate).flat()) left.add(arrival);
      return recordSound(
        sql,
        groups.filter((group) => !isLate(group)),
        now,
        left,
      );
    }
    if (judgeFault(error) !== 'data') throw error;
  }
  if (groups.length === 1) {
    for (const arrival of groups.flat()) left.add(arrival);
    return [];
  }
  const middle = Math.ceil(groups.length / 2);
  const first = await recordSound(sql, groups.slice(0, middle), now, left);
  return [...first, ...(await recordSound(sql, groups.slice(middle), now, left))];
}

async function recordTogether(
  sql: postgres.Sql,
  arrivals: readonly Arrival[],
  now: number,
  { findsPoison = false, defers = false } = {},
): Promise<RecordedBatch> {
  const names = namesOf(sql);
  const [models, book] = await Promise.all([learnModels(sql, arrivals), ruleBook(sql)]);
  for (let attempt = 1; ; attempt += 1) {
    const unknown = await findUnknown(sql, arrivals);
    await ensureMonths(
      sql,
      unknown.map((arrival) => openingMonth(arrival, now)),
    );
    try {
      const batch = { arrivals, unknown, names, models, now, book, findsPoison, defers };
      const recorded = await transact(sql, (tx) => recordBatch(tx, batch), 'read write', true);
      for (const [name, session] of recorded.created) names.sessions.set(name, session);
      const created = new Set(recorded.created.keys());
      for (const { publicId, stream } of created.size > 0 ? arrivals : [])
        if (created.delete(publicId)) stream.charge?.('SESSIONS', 1);
      return recorded;
    } catch (error) {
      if (error instanceof BatchOutdated) forgetMonths(sql);
      const canRetry = error instanceof BatchOutdated || judgeFault(error) === 'transient';
      if (!canRetry || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Refuse an item that the database does not accept. A turn leaves a gap in its session. */
async function refuseArrival(
  sql: postgres.Sql,
  arrival: Arrival,
  error: unknown,
  now: number,
): Promise<RecordedBatch> {
  arrival.refusal = refusedBy(error);
  if (arrival.item.type !== 'turn') return settleRefused(sql, [arrival]);
  try {
    return await recordTogether(sql, [arrival], now);
  } catch (again) {
    if (judgeFault(again) !== 'data') throw again;
    // The session or chain is at fault, so no gap can be stored.
    return settleRefused(sql, [arrival]);
  }
}

/** Store the refusals of arrivals, without anything else of them. */
async function settleRefused(sql: postgres.Sql, arrivals: readonly Arrival[]): Promise<RecordedBatch> {
  const outcomes = new Map<Arrival, ItemOutcome>();
  await transact(sql, async (tx) => {
    const streams = groupBy(arrivals, ({ streamId }) => streamId);
    const received = await lockStreams(tx, arrivals);
    const writes = newWriteSet();
    for (const [streamId, own] of streams) {
      const fresh = own.filter(({ seq }) => !inRanges(received.get(streamId) ?? [], seq));
      for (const arrival of fresh) noteDelivery(writes, arrival, DELIVERY_OUTCOME.refused, arrival.refusal);
      if (fresh.length > 0)
        writes.received.push({ streamId, ranges: formatRanges(toRanges(fresh.map(({ seq }) => seq))) });
    }
    await flushWrites(tx, writes);
  });
  for (const arrival of arrivals)
    if (arrival.refusal) outcomes.set(arrival, { outcome: 'refused', ...arrival.refusal });
  return {
    outcomes,
    touched: [],
    created: new Map(),
    linked: { ids: [], keys: [] },
  };
}

/** The start of the database's message. The error's `detail` is left out, because it may contain content. */
function refusedBy(error: unknown): Refused {
  const message = error instanceof Error ? error.message : String(error);
  const reason = `the item could not be stored: ${message.slice(0, 200)}`;
  return { code: 'unstorable', field: '', reason };
}

/** Maximum number of lanes of a batch. More lanes cost more than they save. */
const MAX_LANES = 3;
const MIN_LANE_ITEMS = 250;

interface Sent {
  streamId: number;
  publicId: string;
}

/** Split a large batch into parts without a common session or stream. Node and PostgreSQL then work in parallel. */
export function splitLanes<A extends Sent>(
  arrivals: readonly A[],
  targetOf: (publicId: string) => string | number,
): A[][] {
  const wanted = Math.min(MAX_LANES, Math.floor(arrivals.length / MIN_LANE_ITEMS));
  if (wanted < 2) return [[...arrivals]];
  const groups = groupConnected(arrivals, targetOf).sort((a, b) => b.length - a.length);
  const lanes: A[][] = Array.from({ length: Math.min(wanted, groups.length) }, () => []);
  for (const group of groups) {
    const smallest = lanes.reduce((least, lane) => (lane.length < least.length ? lane : least));
    for (const arrival of group) smallest.push(arrival);
  }
  return lanes;
}

/** Group arrivals that share a session or a stream, directly or through other arrivals. */
function groupConnected<A extends Sent>(
  arrivals: readonly A[],
  targetOf: (publicId: string) => string | number,
): A[][] {
  const parents = new Map<string, string>();
  const find = (name: string): string => {
    const parent = parents.get(name);
    return parent === undefined ? name : find(parent);
  };
  for (const { streamId, publicId } of arrivals) {
    const ofStream = find(`stream ${streamId}`);
    const ofSession = find(`session ${targetOf(publicId)}`);
    if (ofStream !== ofSession) parents.set(ofSession, ofStream);
  }
  return [...groupBy(arrivals, ({ streamId }) => find(`stream ${streamId}`)).values()];
}
