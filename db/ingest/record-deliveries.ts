/**
 * The ingest: deliveries of any number of connections become rows in one transaction (a large batch in up to three), and
 * are durable when it returns.
 *
 * It trades the batch's speed for safety only where something fails: a batch that Postgres refuses is taken apart,
 * session by session and then item by item, so that one item that cannot be stored is refused and its neighbours stay.
 */
import type postgres from 'postgres';
import type { Thresholds } from '../../core/accounting/types';
import { inRanges } from '../../core/protocol/ranges';
import { callKey, hashItem } from '../codes/hash-item';
import { formatRanges } from '../codes/seq-ranges';
import { judgeFault } from '../judge-fault';
import { ensureMonths, forgetMonths } from '../partitions';
import { transact } from '../transact';
import { lockStreams } from './lock';
import {
  findUnknown,
  followRedirects,
  type KnownNames,
  learnModels,
  nameOf,
  namesOf,
  openingMonth,
} from './names';
import { type RecordedBatch, recordBatch } from './record-batch';
import {
  type Arrival,
  BatchOutdated,
  DELIVERY_OUTCOME,
  type Delivery,
  type ItemOutcome,
  isCallItem,
  type Recorded,
  type Refused,
  type TouchedSession,
} from './types';
import { flushWrites, newWriteSet } from './write';

export interface RecordOptions {
  /** Server's time, milliseconds. */
  now: number;
  /** Lines for every project; default: the settings of each. */
  thresholds?: Thresholds;
}

/** Lanes of a batch; below so many items each costs more than it saves. */
const MAX_LANES = 3;
const MIN_LANE_ITEMS = 250;
/** A deadlock or a race with another process is rolled back and tried again. */
const MAX_ATTEMPTS = 8;

/**
 * Record deliveries in order of arrival.
 *
 * @returns per delivery the outcome of each item, and the sessions that changed
 * @throws when the database cannot be reached or written to; everything may be sent again then, because what was stored
 *   anyway is known as a duplicate
 */
export async function recordDeliveries(
  sql: postgres.Sql,
  deliveries: readonly Delivery[],
  options: RecordOptions,
): Promise<Recorded> {
  const outcomes = deliveries.map((delivery): ItemOutcome[] => new Array(delivery.items.length));
  const touched = new Map<number, TouchedSession>();
  const lanes = splitLanes(listArrivals(deliveries), (name) => targetOf(namesOf(sql), name)).map((lane) =>
    recordSafely(sql, lane, options),
  );
  // An error must not leave a transaction of another lane running.
  await Promise.allSettled(lanes);
  for (const recorded of (await Promise.all(lanes)).flat()) {
    for (const [{ delivery, index }, outcome] of recorded.outcomes) {
      const ofDelivery = outcomes[delivery];
      if (ofDelivery) ofDelivery[index] = outcome;
    }
    for (const session of recorded.touched) touched.set(session.id, session);
  }
  return { outcomes, touched: [...touched.values()] };
}

function targetOf(names: KnownNames, sessionName: string): string | number {
  const id = names.sessions.get(sessionName);
  return id === undefined ? sessionName : followRedirects(names, id);
}

export function listArrivals(deliveries: readonly Delivery[]): Arrival[] {
  return deliveries.flatMap(({ stream, items, receivedAt, clockAgrees }, delivery) =>
    items.map((sent, index): Arrival => {
      const { item, hash } = hashItem(sent);
      return {
        delivery,
        index,
        stream,
        item,
        receivedAt,
        clock: clockAgrees ? 'right' : 'unsaid',
        sessionName: nameOf(stream.projectId, item.session),
        hash,
        callKey: isCallItem(item) ? callKey(item.call, item.type, stream.stream, item.seq) : null,
      };
    }),
  );
}

/**
 * Split a large batch into up to three parts that have no session and no stream in common, each in order of arrival. They
 * are recorded in transactions of their own: the server computes one while Postgres works on another.
 *
 * @param targetOf the session that gets the items of this name, by any name or number of its own
 */
export function splitLanes(
  arrivals: readonly Arrival[],
  targetOf: (sessionName: string) => string | number,
): Arrival[][] {
  const wanted = Math.min(MAX_LANES, Math.floor(arrivals.length / MIN_LANE_ITEMS));
  if (wanted < 2) return [[...arrivals]];
  const groups = groupConnected(arrivals, targetOf).sort((a, b) => b.length - a.length);
  const lanes: Arrival[][] = Array.from({ length: Math.min(wanted, groups.length) }, () => []);
  for (const group of groups) {
    const smallest = lanes.reduce((least, lane) => (lane.length < least.length ? lane : least));
    for (const arrival of group) smallest.push(arrival);
  }
  return lanes;
}

/** Arrivals that share a session or a stream, however many steps apart, are one group. */
function groupConnected(
  arrivals: readonly Arrival[],
  targetOf: (sessionName: string) => string | number,
): Arrival[][] {
  const parents = new Map<string, string>();
  const find = (name: string): string => {
    const parent = parents.get(name);
    return parent === undefined ? name : find(parent);
  };
  for (const { stream, sessionName } of arrivals) {
    const ofStream = find(`stream ${stream.streamId}`);
    const ofSession = find(`session ${targetOf(sessionName)}`);
    if (ofStream !== ofSession) parents.set(ofSession, ofStream);
  }
  const groups = new Map<string, Arrival[]>();
  for (const arrival of arrivals) {
    const root = find(`stream ${arrival.stream.streamId}`);
    const group = groups.get(root);
    if (group) group.push(arrival);
    else groups.set(root, [arrival]);
  }
  return [...groups.values()];
}

async function recordSafely(
  sql: postgres.Sql,
  arrivals: readonly Arrival[],
  options: RecordOptions,
): Promise<RecordedBatch[]> {
  const [arrival] = arrivals;
  if (!arrival) return [];
  try {
    return [await recordTogether(sql, arrivals, options)];
  } catch (error) {
    if (judgeFault(error) !== 'data') throw error;
    if (arrivals.length === 1) return [await refuseArrival(sql, arrival, error, options)];
  }
  const results: RecordedBatch[] = [];
  for (const part of takeApart(arrivals)) results.push(...(await recordSafely(sql, part, options)));
  return results;
}

/** By session; the items of a single one, by halves. */
function takeApart(arrivals: readonly Arrival[]): (readonly Arrival[])[] {
  const bySession = new Map<string, Arrival[]>();
  for (const arrival of arrivals) {
    const ofSession = bySession.get(arrival.sessionName) ?? [];
    ofSession.push(arrival);
    bySession.set(arrival.sessionName, ofSession);
  }
  if (bySession.size > 1) return [...bySession.values()];
  const middle = Math.ceil(arrivals.length / 2);
  return [arrivals.slice(0, middle), arrivals.slice(middle)];
}

async function recordTogether(
  sql: postgres.Sql,
  arrivals: readonly Arrival[],
  { now, thresholds }: RecordOptions,
): Promise<RecordedBatch> {
  const names = namesOf(sql);
  const models = await learnModels(sql, modelNames(arrivals));
  for (let attempt = 1; ; attempt += 1) {
    const unknown = await findUnknown(sql, arrivals);
    await ensureMonths(
      sql,
      unknown.map((arrival) => openingMonth(arrival, now)),
    );
    try {
      const recorded = await transact(sql, (tx) =>
        recordBatch(tx, { arrivals, unknown, names, models, now, thresholds }),
      );
      for (const [name, session] of recorded.created) names.sessions.set(name, session);
      return recorded;
    } catch (error) {
      if (error instanceof BatchOutdated) forgetMonths(sql);
      const canRetry = error instanceof BatchOutdated || judgeFault(error) === 'transient';
      if (!canRetry || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

function modelNames(arrivals: readonly Arrival[]): Set<string> {
  const models = new Set<string>();
  for (const { item } of arrivals) {
    if (isCallItem(item) && item.model !== undefined) models.add(item.model);
  }
  return models;
}

/** Refuse an item that the database does not take, and remember it as refused; a turn leaves a gap in its session. */
async function refuseArrival(
  sql: postgres.Sql,
  arrival: Arrival,
  error: unknown,
  options: RecordOptions,
): Promise<RecordedBatch> {
  const refusal: Refused = { code: 'unstorable', field: '', reason: reasonOf(error) };
  if (arrival.item.type !== 'turn') return settleRefused(sql, arrival, refusal, options.now);
  try {
    return await recordTogether(sql, [{ ...arrival, refusal }], options);
  } catch (again) {
    if (judgeFault(again) !== 'data') throw again;
    // The names of the turn, of its session or chain, are at fault: there is no place for a gap.
    return settleRefused(sql, arrival, refusal, options.now);
  }
}

async function settleRefused(
  sql: postgres.Sql,
  arrival: Arrival,
  refusal: Refused,
  receivedAt: number,
): Promise<RecordedBatch> {
  const { stream, item, hash } = arrival;
  const { streamId } = stream;
  await transact(sql, async (tx) => {
    const received = (await lockStreams(tx, [streamId])).get(streamId) ?? [];
    if (inRanges(received, item.seq)) return;
    const writes = newWriteSet();
    const outcome = DELIVERY_OUTCOME.refused;
    writes.deliveries.push({ streamId, seq: item.seq, hash, outcome, refusal, receivedAt });
    writes.received.push({ streamId, ranges: formatRanges([[item.seq, item.seq]]) });
    await flushWrites(tx, writes);
  });
  return {
    outcomes: new Map([[arrival, { outcome: 'refused', ...refusal }]]),
    touched: [],
    created: new Map(),
  };
}

/** The database's own sentence, without the values it may quote behind it. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `the item could not be stored: ${message.slice(0, 200)}`;
}
