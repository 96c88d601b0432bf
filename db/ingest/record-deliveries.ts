/**
 * The ingest: deliveries of any number of connections become rows in one transaction (a large batch in up to three,
 * where it falls into parts that have nothing in common), and are durable when it returns.
 *
 * It trades the batch's speed for safety only where something goes wrong: a batch that Postgres refuses is taken
 * apart, session by session and then item by item, so that one poisoned item is refused and its neighbours stay.
 */
import type postgres from 'postgres';
import type { Thresholds } from '../../core/accounting/types';
import { judgeFault } from '../judge-fault';
import { ensureMonths } from '../partitions';
import { transact } from '../transact';
import { type Arrival, listArrivals } from './arrivals';
import { BatchOutdated } from './batch-outdated';
import { isCallItem } from './call-facts';
import { followRedirects, type KnownNames, learnModels, namesOf } from './known-names';
import { type RecordedBatch, recordBatch } from './record-batch';
import { refuseArrival } from './refuse-arrival';
import { findUnknown, openingMonth } from './resolve-sessions';
import { splitLanes } from './split-lanes';
import type { Delivery, ItemOutcome, Recorded, TouchedSession } from './types';

export interface RecordOptions {
  /** Server's time, milliseconds. */
  now: number;
  /** Lines for every project; default: the settings of each. */
  thresholds?: Thresholds;
}

/** A deadlock or a race with another process: rolled back, and right the next time. */
const MAX_ATTEMPTS = 8;

/**
 * Records deliveries in order of arrival.
 *
 * @returns per delivery what became of each item, and the sessions that changed
 * @throws when the database cannot be reached or written to; everything may be sent again then, for what was stored
 *   all the same is known as a duplicate
 */
export async function recordDeliveries(
  sql: postgres.Sql,
  deliveries: readonly Delivery[],
  options: RecordOptions,
): Promise<Recorded> {
  const arrivals = listArrivals(deliveries);
  const outcomes = deliveries.map((delivery): ItemOutcome[] => new Array(delivery.items.length));
  const touched = new Map<number, TouchedSession>();
  const lanes = splitLanes(arrivals, (name) => targetOf(namesOf(sql), name)).map((lane) =>
    recordSafely(sql, lane, options),
  );
  // All of them come to an end first: nobody is to find a transaction still running behind an error.
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

async function recordSafely(
  sql: postgres.Sql,
  arrivals: readonly Arrival[],
  options: RecordOptions,
): Promise<RecordedBatch[]> {
  if (arrivals.length === 0) return [];
  try {
    return [await recordTogether(sql, arrivals, options)];
  } catch (error) {
    if (judgeFault(error) !== 'data') throw error;
    if (arrivals.length === 1) return [await refuseArrival(sql, arrivals, error, options.now)];
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
      const canRetry = error instanceof BatchOutdated || judgeFault(error) === 'transient';
      if (!canRetry || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

function targetOf(names: KnownNames, sessionName: string): string | number {
  const session = names.sessions.get(sessionName);
  return session ? followRedirects(names, session).id : sessionName;
}

function modelNames(arrivals: readonly Arrival[]): Set<string> {
  const models = new Set<string>();
  for (const { item } of arrivals) {
    if (isCallItem(item) && item.model !== undefined) models.add(item.model);
  }
  return models;
}
