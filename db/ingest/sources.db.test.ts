/** Several sources report one session in any order. The expected rows combine what all of them know. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Usage } from '../../core/protocol/items';
import { openTestDatabase } from '../testing/test-database';
import { deliver, NOON, numbered, openTestStream, rowsOf, type Words } from './ingest-testing';

const { sql } = await openTestDatabase();

const SOURCES = ['transcript', 'sdk', 'hook', 'otlp'] as const;
const COUNTS = ['input', 'output', 'cacheRead', 'cacheCreation'] as const;
type Counts = (typeof COUNTS)[number];

interface Knowledge {
  calls: number[];
  counts: Counts[];
  names: string;
  error: number;
}

interface Report {
  call: number;
  usage: Usage;
}

/** What a source knows: calls in order, the counts that it has, and how it names a call. */
const knowledge = (calls: number) =>
  fc.record({
    calls: fc.subarray(Array.from({ length: calls }, (_, call) => call)),
    counts: fc.subarray<Counts>([...COUNTS]).map((counts) => [...new Set<Counts>([...counts, 'output'])]),
    names: fc.constantFrom('both', 'message', 'request', 'none'),
    /** Added to every count, because sources may report different counts. Sources without ids report equal counts. */
    error: fc.nat(2),
  });
const story = fc.integer({ min: 1, max: 7 }).chain((calls) =>
  fc.record({
    known: fc.tuple(knowledge(calls), knowledge(calls), knowledge(calls), knowledge(calls)),
    /** Each arrival: a source, the number of calls that it sends next, and whether it sends the calls twice. */
    arrivals: fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 4 }), fc.boolean()), { maxLength: 12 }),
  }),
);

const chainOf = (call: number) => (call % 3 === 2 ? 'agent' : 'main');
const truth = (call: number, name: Counts) => 1_000 * (call + 1) + 10 * COUNTS.indexOf(name);

function reportsOf({ calls, counts, names, error }: Knowledge): Report[] {
  const more = names === 'none' ? 0 : error;
  return calls.map((call) => {
    const usage = Object.fromEntries(counts.map((name) => [name, truth(call, name) + more]));
    return { call, usage };
  });
}

function idsOf(call: number, names: string): { call?: string | string[] } {
  const [message, request] = [`msg_${call}`, `req_${call}`];
  if (names === 'none') return {};
  return { call: names === 'both' ? [message, request] : names === 'message' ? message : request };
}

it('gives the best source’s figures and those that only others have, in any order of arrival', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(story, async ({ known, arrivals }) => {
      // A transcript has both ids, which joins all ids of a call. Only the last source may lack ids; then counts agree.
      const sources = known.map((each, index) => ({
        ...each,
        names: index === 0 ? 'both' : each.names === 'none' && index < 3 ? 'message' : each.names,
        error: known[3].names === 'none' ? 0 : each.error,
        calls: index === 0 ? Array.from({ length: 7 }, (_, call) => call) : each.calls,
      }));
      run += 1;
      const project = `story ${run}`;
      const queues = await Promise.all(
        sources.map(async (each, index) => {
          const words = reportsOf(each).map(
            ({ call, usage }): Words => ({
              ...{ type: 'turn', session: 's', at: NOON, chain: chainOf(call), usage },
              ...idsOf(call, each.names),
            }),
          );
          const source = SOURCES[index] ?? 'sdk';
          return { stream: await openTestStream(sql, { project, source }), items: numbered(words), sent: 0 };
        }),
      );
      const rest = queues.map((_, index) => [index, 9, false] as const);
      for (const [index, count, isTwice] of [...arrivals, ...rest]) {
        const queue = queues[index];
        if (!queue) continue;
        const items = queue.items.slice(queue.sent, queue.sent + count);
        for (let times = 0; times < (isTwice ? 2 : 1); times += 1) await deliver(sql, queue.stream, items);
        queue.sent += items.length;
      }
      const expected = new Map<number, Usage>();
      for (const { call, usage } of sources.toReversed().flatMap(reportsOf)) {
        expected.set(call, { ...expected.get(call), ...usage });
      }
      const columns = `input, output, cache_read as "cacheRead", cache_creation as "cacheCreation"`;
      const rows = await rowsOf<Usage>(sql, project, 'turns', columns);
      const sorted = (list: Usage[]) =>
        list.map((usage) => COUNTS.map((name) => usage[name] ?? 0)).sort((a, b) => (a[1] ?? 0) - (b[1] ?? 0));
      expect(sorted(rows)).toEqual(sorted([...expected.values()]));
      const [sum] = await sql<{ calls: number }[]>`
        select sum(c.calls)::int as calls from contexts c join sessions s on s.id = c.session_id
        join projects p on p.id = s.project_id where p.name = ${project}`;
      expect(sum?.calls).toBe(expected.size);
    }),
    { numRuns: 40 },
  );
});
