/** Any order of arrival produces the same rows as one ordered stream. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fc, propertyRuns } from '../../core/testing/property-runs';
import { openTestDatabase } from '../testing/test-database';
import { cuts, itemsOf, pieces } from './arbitrary-items.fixture';
import { deliver, EVENING, openTestStream, orderly, readSnapshot } from './ingest-testing';
import { recordDeliveries } from './record-deliveries';
import type { Delivery } from './types';

const runs = propertyRuns();

const { sql } = await openTestDatabase();

const SESSIONS = ['a', 'b', 'c'];

const snapshot = (project: string) => readSnapshot(sql, project);

describe('the order of arrival', () => {
  it('of batches does not matter: any split into batches gives the same rows', async () => {
    await fc.assert(
      fc.asyncProperty(itemsOf(SESSIONS, 40), cuts, async (items, at) => {
        const expected = await orderly(sql, items);
        const project = randomUUID();
        const stream = await openTestStream(sql, { project });
        for (const piece of pieces(items, at)) await deliver(sql, stream, piece, EVENING);
        expect(await snapshot(project)).toEqual(expected);
      }),
      runs(25),
    );
  });

  it('of items of one stream does not matter: shuffled, resent or split items give the same rows', async () => {
    const scenario = itemsOf(SESSIONS, 30).chain((items) =>
      fc.record({
        items: fc.constant(items),
        shuffled: fc.shuffledSubarray([...items, ...items], { minLength: items.length * 2 }),
        at: cuts,
      }),
    );
    await fc.assert(
      fc.asyncProperty(scenario, async ({ items, shuffled, at }) => {
        const expected = await orderly(sql, items);
        const project = randomUUID();
        const stream = await openTestStream(sql, { project });
        for (const piece of pieces(shuffled, at)) await deliver(sql, stream, piece, EVENING);
        expect(await snapshot(project)).toEqual(expected);
      }),
      runs(40),
    );
  });

  it('of two queues with the same history does not matter, however they interleave', async () => {
    const scenario = itemsOf(SESSIONS, 30).chain((items) =>
      fc.record({
        items: fc.constant(items),
        upTo: fc.nat(items.length),
        turns: fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 6 })), { maxLength: 20 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(scenario, async ({ items, upTo, turns }) => {
        const named = items.map((item) =>
          item.type === 'reading' ? { ...item, call: `reading-${item.seq}` } : item,
        );
        const expected = await orderly(sql, named);
        const project = randomUUID();
        const first = await openTestStream(sql, { project });
        const second = await openTestStream(sql, { project });
        const queues = [named.slice(0, upTo), [...named]];
        const deliveries: Delivery[] = [];
        const take = (index: 0 | 1, count: number) => {
          const taken = queues[index]?.splice(0, count) ?? [];
          deliveries.push({
            stream: index === 0 ? first : second,
            items: taken,
            receivedAt: EVENING,
            clockAgrees: true,
          });
        };
        for (const [isFirst, count] of turns) take(isFirst ? 0 : 1, count);
        take(0, items.length);
        take(1, items.length);
        for (const batch of pieces(deliveries, [3, 5])) await recordDeliveries(sql, batch, { now: EVENING });
        expect(await snapshot(project)).toEqual(expected);
      }),
      runs(40),
    );
  });
});
