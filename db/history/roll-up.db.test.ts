/** History follows from the stored rows: whatever order things came in, and however often it was brought up to date. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../core/protocol/items';
import { itemsOf } from '../ingest/arbitrary-items';
import { deliver, NOON, openTestStream } from '../ingest/ingest-testing';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { countAnew, readHistory, rollUpAll } from './history-testing';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const SESSIONS = ['a', 'b'];
const EVENING = NOON + 12 * 3_600_000;
const cuts = fc.array(fc.nat(), { maxLength: 5 });

/** Spread over some hours, so that sessions reach through many buckets. */
function stretched(items: readonly Item[]): Item[] {
  return items.map((item) => ({ ...item, at: NOON + (item.at - NOON) * 40 }));
}

function pieces<T>(items: readonly T[], cut: readonly number[]): T[][] {
  const bounds = [...new Set(cut.map((at) => at % (items.length + 1)))].sort((a, b) => a - b);
  return [0, ...bounds].map((from, index) => items.slice(from, bounds[index] ?? items.length));
}

describe('the roll-up', () => {
  it('comes to what counting from the beginning comes to, wherever it ran in between', async () => {
    const scenario = itemsOf(SESSIONS, 40).chain((items) =>
      fc.record({
        items: fc.constant(stretched(items)),
        shuffled: fc.shuffledSubarray(stretched([...items, ...items]), { minLength: items.length * 2 }),
        isOrderly: fc.boolean(),
        at: cuts,
      }),
    );
    await fc.assert(
      fc.asyncProperty(scenario, async ({ items, shuffled, isOrderly, at }) => {
        const { sql } = database;
        const project = randomUUID();
        const stream = await openTestStream(sql, { project });
        for (const piece of pieces(isOrderly ? items : shuffled, at)) {
          await deliver(sql, stream, piece, EVENING);
          await rollUpAll(sql);
        }
        const followed = await readHistory(sql, project);
        await countAnew(sql, project);
        expect(followed).toEqual(await readHistory(sql, project));
        expect(followed.cells).toEqual(followed.summed);
      }),
      { numRuns: 60 },
    );
  }, 180_000);
});
