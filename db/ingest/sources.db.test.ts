/** Several sources report one session in any order. The expected rows combine what all of them know. */
import { expect, it } from 'vitest';
import type { Usage } from '../../core/protocol/items';
import { fc, propertyRuns } from '../../core/testing/property-runs';
import { openTestDatabase } from '../testing/test-database';
import { cuts, pieces } from './arbitrary-items.fixture';
import {
  deliver,
  EVENING,
  NOON,
  numbered,
  openTestStream,
  readSnapshot,
  rowsOf,
  type Words,
} from './ingest-testing';
import { recordDeliveries } from './record-deliveries';
import { continueRecomputing } from './refold';
import type { Delivery } from './types';

const runs = propertyRuns();

const { sql } = await openTestDatabase();

const client = 'claude-code';
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
    names: fc.constantFrom('both', 'message', 'request', 'none', 'none', 'none'),
    /** Added to every count, because sources may report different counts. Sources without ids report equal counts. */
    error: fc.nat(2),
  });
const story = fc.integer({ min: 1, max: 7 }).chain((calls) =>
  fc.record({
    known: fc.tuple(knowledge(calls), knowledge(calls), knowledge(calls), knowledge(calls)),
    /** Each arrival: a source, the number of calls that it sends next, and whether it sends the calls twice. */
    arrivals: fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 4 }), fc.boolean()), { maxLength: 12 }),
    /** Whether the library's session has its own key and adopts the session that the other sources name. */
    isAdopted: fc.boolean(),
    /** Whether some calls have equal usage. */
    isRepeated: fc.boolean(),
    /** Seconds by which the clock of each source is ahead. */
    skews: fc.array(fc.integer({ min: -200, max: 200 }), { minLength: 4, maxLength: 4 }),
  }),
);

const chainOf = (call: number) => (call % 3 === 2 ? 'agent' : 'main');

/** @param period number of calls after which the usage repeats */
function reportsOf({ calls, counts, names, error }: Knowledge, period: number): Report[] {
  const more = names === 'none' ? 0 : error;
  return calls.map((call) => {
    const truth = (name: Counts) => 1_000 * ((call % period) + 1) + 10 * COUNTS.indexOf(name);
    const usage = Object.fromEntries(counts.map((name) => [name, truth(name) + more]));
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
    fc.asyncProperty(story, async ({ known, arrivals, isAdopted, isRepeated, skews }) => {
      // A transcript has both ids, which joins all ids of a call. Only the last source may lack ids; then counts agree,
      // and every source knows input and output.
      const isUnnamed = known[3].names === 'none';
      const sources = known.map((each, index) => ({
        ...each,
        counts: isUnnamed
          ? [...new Set<Counts>(['input', ...(isRepeated ? known[0] : each).counts])]
          : each.counts,
        names: index === 0 ? 'both' : each.names === 'none' && index < 3 ? 'message' : each.names,
        error: isUnnamed ? 0 : each.error,
        calls: index === 0 ? Array.from({ length: 7 }, (_, call) => call) : each.calls,
      }));
      // Some calls of a chain are equal. Nothing shows which of them a report without an id describes, so its figures
      // are certain only if the sources know the same counts.
      const period = isRepeated ? 4 : 7;
      run += 1;
      const project = `story ${run}`;
      const queues = await Promise.all(
        sources.map(async (each, index) => {
          const source = SOURCES[index] ?? 'sdk';
          const clientSessionId = `story ${run}`;
          const isClient = isAdopted && source !== 'sdk';
          const session = isClient ? clientSessionId : 's';
          const timeOf = (call: number) => NOON + 60_000 * call + 1_000 * (skews[index] ?? 0);
          const words = reportsOf(each, period).map(
            ({ call, usage }): Words => ({
              ...{ type: 'turn', session, at: timeOf(call), chain: chainOf(call), usage },
              ...idsOf(call, each.names),
            }),
          );
          const start: Words = { type: 'session_start', session, at: timeOf(0) };
          if (isAdopted) words.unshift(isClient ? start : { ...start, client, clientSessionId });
          const stream = await openTestStream(sql, { project, source, ...(isClient && { client }) });
          return { stream, items: numbered(words), sent: 0 };
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
      for (const { call, usage } of sources.toReversed().flatMap((each) => reportsOf(each, period))) {
        expected.set(call, { ...expected.get(call), ...usage });
      }
      const columns = `input, output, cache_read as "cacheRead", cache_creation as "cacheCreation"`;
      const rows = await rowsOf<Usage>(sql, project, 'turns', columns);
      const sorted = (list: Usage[]) =>
        list.map((usage) => COUNTS.map((name) => usage[name] ?? 0).join(' ')).sort();
      expect(sorted(rows)).toEqual(sorted([...expected.values()]));
      const [sum] = await sql<{ calls: number }[]>`
        select sum(c.calls)::int as calls from contexts c join sessions s on s.id = c.session_id
        join projects p on p.id = s.project_id where p.name = ${project}`;
      expect(sum?.calls).toBe(expected.size);
    }),
    runs(40),
  );
});

it('matches a report without an id with only one of two equal calls', async () => {
  const project = 'equal calls';
  const usage = { input: 10, output: 2 };
  const report = (call?: string): Words => ({
    type: 'turn',
    session: 's',
    at: NOON,
    usage,
    ...(call && { call }),
  });
  for (const [source, ...calls] of [
    ['otlp', undefined],
    ['sdk', 'second'],
    ['transcript', 'first', 'second'],
  ] as const) {
    const stream = await openTestStream(sql, { project, source });
    await deliver(sql, stream, numbered(calls.map(report)));
  }
  expect(await rowsOf(sql, project, 'turns', 'input, output')).toEqual([usage, usage]);
});

/** A step of a session as its sources see it: a call or a compaction. */
interface Moment {
  kind: 'call' | 'compaction';
  /** The lesser sources that report the step, as bits; 8: the transcript lacks the call. */
  by: number;
}

const moments = fc.array(
  fc.record<Moment>({ kind: fc.constantFrom('call', 'call', 'compaction'), by: fc.nat(15) }),
  { minLength: 2, maxLength: 9 },
);

/** Items of each source. A lesser source reports each step a little later; the hook announces its compactions. */
function itemsOfSources(steps: readonly Moment[]): Words[][] {
  return SOURCES.map((source, index) => {
    const words: Words[] = [{ type: 'session_start', session: 's', at: NOON + index, lens: 'snapshot' }];
    steps.forEach(({ kind, by }, step) => {
      if (index === 0 ? kind === 'call' && by >= 8 : !(by & (1 << (index - 1)))) return;
      const at = NOON + 60_000 * (step + 1) + 400 * index;
      const size = 1_000 * (step + 1);
      if (kind === 'call' && source !== 'hook') {
        const usage = { input: size, output: 10, cacheRead: 0, cacheCreation: 0 };
        words.push({ type: 'turn', session: 's', at, call: `c${step}`, usage, contextTokens: size });
      } else if (kind === 'compaction' && source !== 'otlp') {
        const compaction = { type: 'compaction', session: 's', trigger: 'auto' } as const;
        if (source === 'hook') words.push({ ...compaction, at: at - 2_000, state: 'pending' });
        words.push({ ...compaction, at, state: 'confirmed', boundary: `b${step}` });
      }
    });
    return words;
  });
}

/** The first source's report of each step, in order. */
function bestOf(sources: readonly Words[][]): Words[] {
  const steps = new Map<string, Words>();
  for (const word of sources.flat()) {
    const name = word.type === 'turn' ? `${word.call}` : word.type === 'compaction' ? word.boundary : 'start';
    if (name !== undefined && !steps.has(name)) steps.set(name, word);
  }
  return [...steps.values()].sort((a, b) => a.at - b.at);
}

it('gives the contexts and the order of the best source in any order of arrival', async () => {
  let run = 0;
  const scenario = fc.record({
    steps: moments,
    order: fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 5 })), { maxLength: 12 }),
    isTwice: fc.boolean(),
    at: cuts,
  });
  const story = async (project: string) => {
    const { turns, contexts, events, sessions } = await readSnapshot(sql, project);
    const ofTurn = ({ columns }: (typeof turns)[number]) => {
      const { input, number, context, chart_time: at } = columns as Record<string, number>;
      return { input, number, context, at };
    };
    const named = events.filter(({ kind }) => kind === 'compaction' || kind === 'session_started');
    return {
      turns: turns.map(ofTurn),
      contexts: contexts.map(({ columns }) => columns),
      events: named.map(({ kind, context, turn }) => ({ kind, context, turn })),
      session: sessions.map(({ used, pressure, state, turn_count: count }) => [used, pressure, state, count]),
      sources: sessions.map(({ sources }) => Number(sources) & 15),
    };
  };
  await fc.assert(
    fc.asyncProperty(scenario, async ({ steps, order, isTwice, at }) => {
      run += 1;
      const items = itemsOfSources(steps);
      const best = `best ${run}`;
      const transcript = await openTestStream(sql, { project: best, source: 'transcript' });
      await deliver(sql, transcript, numbered(bestOf(items)), EVENING);
      const project = `all ${run}`;
      const queues = await Promise.all(
        items.map(async (words, index) => ({
          stream: await openTestStream(sql, { project, source: SOURCES[index] ?? 'sdk' }),
          items: numbered(words),
        })),
      );
      const deliveries: Delivery[] = [];
      for (const [index, count] of [...order, ...queues.map((_, each) => [each, 99] as const)]) {
        const queue = queues[index];
        const sent = queue?.items.splice(0, count) ?? [];
        if (queue)
          deliveries.push({ stream: queue.stream, items: sent, receivedAt: EVENING, clockAgrees: true });
      }
      const all = isTwice ? deliveries.flatMap((each) => [each, each]) : deliveries;
      for (const batch of pieces(all, at)) await recordDeliveries(sql, batch, { now: EVENING });
      expect(await story(project)).toEqual({ ...(await story(best)), sources: [15] });
    }),
    runs(40),
  );
});

const at = (minutes: number) => NOON + minutes * 60_000;

it.each(['with a fold', 'that waits for the worker'])(
  'orders items of two sources by time on different chains of a session %s',
  async (title) => {
    const project = `chains, ${title}`;
    const [otlp, hook, sdk, transcript] = await Promise.all(
      (['otlp', 'hook', 'sdk', 'transcript'] as const).map((source) =>
        openTestStream(sql, { project, source }),
      ),
    );
    const call = (minute: number, chain: string): Words => {
      return {
        type: 'turn',
        session: 's',
        at: at(minute),
        chain,
        call: `c${minute}`,
        usage: { input: 10 * minute },
      };
    };
    if (!otlp || !hook || !sdk || !transcript) throw new Error('four streams');
    await deliver(sql, sdk, numbered([call(1, 'main')]), EVENING);
    if (title !== 'with a fold') await sql`update sessions set recompute_from = 1 where key = 's'`;
    await deliver(sql, otlp, numbered([call(3, 'agent')]), EVENING);
    const trigger = { type: 'compaction', session: 's', trigger: 'manual' } as const;
    await deliver(sql, hook, numbered([{ ...trigger, at: at(2), state: 'pending' }]), EVENING);
    await deliver(sql, transcript, numbered([call(1.5, 'main'), call(2.5, 'main')]), EVENING);
    while (await continueRecomputing(sql));
    const events = (await readSnapshot(sql, project)).events.filter(({ kind }) => kind === 'compaction');
    expect(events).toMatchObject([{ turn: 2, at: new Date(at(2)).toISOString() }]);
  },
);
/** Two turns of the library; each is the sum of two calls. */
const CALLS = [1, 2, 5, 6].map(
  (minute): Words => ({
    ...{ type: 'turn', session: 's', at: at(minute), call: `m${minute}` },
    usage: { input: minute, output: 10, cacheRead: 100 * minute },
  }),
);
/** The library's sum of each turn. Only the library knows the turn before the first call and the last turn. */
const SUMS = [
  [0, 7, 8, 9],
  [3, 3, 20, 300],
  [7, 11, 20, 1_100],
  [9, 40, 30, 50],
].map(
  ([minute = 0, input = 0, output = 0, cacheRead = 0]): Words => ({
    ...{ type: 'turn', session: 's', at: at(minute) },
    usage: { input, output, cacheRead },
  }),
);

it('counts a sum of the library only if no other source reports a call from the same time, in any order', async () => {
  let run = 0;
  const order = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 3 })), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(
      order,
      fc.boolean(),
      fc.constantFrom('transcript', 'otlp'),
      async (turns, isAdopted, source) => {
        run += 1;
        const project = `sums ${run}`;
        const client = 'claude-code';
        const clientSessionId = `client ${run}`;
        const alias: Words = { type: 'session_alias', session: 's', at: at(0), client, clientSessionId };
        const named = CALLS.map((call) => ({ ...call, session: clientSessionId }));
        const queues = [
          {
            stream: await openTestStream(sql, { project, source, ...(isAdopted && { client }) }),
            items: isAdopted
              ? numbered([{ type: 'session_start', session: clientSessionId, at: at(0) }, ...named])
              : numbered(CALLS),
          },
          {
            stream: await openTestStream(sql, { project, source: 'sdk' }),
            items: numbered(isAdopted ? [alias, ...SUMS] : SUMS),
          },
        ];
        for (const [isLibrary, count] of [...turns, [true, 9] as const, [false, 9] as const]) {
          const queue = queues[Number(isLibrary)];
          if (queue) await deliver(sql, queue.stream, queue.items.splice(0, count), EVENING);
        }
        const [sum] = await sql`
        select sum(c.calls)::int as calls, sum(c.input)::int as input, sum(c.output)::int as output,
          sum(c.cache_read)::int as read
        from contexts c join sessions s on s.id = c.session_id join projects p on p.id = s.project_id
        where p.name = ${project}`;
        expect(sum).toEqual({ calls: 6, input: 61, output: 78, read: 1_459 });
      },
    ),
    runs(40),
  );
});

const spent = (input: number, output: number): Usage => ({ input, output, cacheRead: 0, cacheCreation: 0 });

function turn(minute: number, chain: string, more: Partial<Extract<Words, { type: 'turn' }>>): Words {
  return { type: 'turn', session: 's', at: at(minute), chain, usage: spent(100, 10), ...more };
}

/** The calls of two compactions in one process. The transcript has their sum. OTLP has each call, and calls for titles. */
const COMPACTED = {
  transcript: [
    ...[1, 3, 5].map((minute): Words => turn(minute, 'main', { call: `m${minute}` })),
    turn(4, 'acompact-b2', { call: 'acompact-b2', scope: 'side', model: 'm', usage: spent(9, 40) }),
  ],
  otlp: [
    turn(0, 'main', { call: 'title', scope: 'side', model: 'small', usage: spent(1, 2) }),
    turn(1.9, 'main', { scope: 'side', model: 'm', usage: spent(4, 15) }),
    turn(2.5, 'main', { call: 'topic', scope: 'side', model: 'small', usage: spent(2, 3) }),
    turn(3.9, 'main', { scope: 'side', model: 'm', usage: spent(5, 25) }),
  ],
};

it('counts the sum of several compactions’ calls only if OTLP lacks these calls, in any order', async () => {
  let run = 0;
  const order = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 3 })), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(order, fc.boolean(), async (turns, isMissing) => {
      run += 1;
      const project = `summaries ${run}`;
      const { transcript, otlp } = COMPACTED;
      const [first, second] = await Promise.all([
        openTestStream(sql, { project, source: 'transcript' }),
        openTestStream(sql, { project, source: 'otlp' }),
      ]);
      // If OTLP lost one of the calls, the server cannot recognise that the sum includes the other call.
      const queues = [
        { stream: first, items: numbered(transcript) },
        { stream: second, items: numbered(otlp.slice(0, isMissing ? -1 : otlp.length)) },
      ];
      for (const [isOtlp, count] of [...turns, [true, 9] as const, [false, 9] as const]) {
        const queue = queues[Number(isOtlp)];
        if (queue) await deliver(sql, queue.stream, queue.items.splice(0, count), EVENING);
      }
      const [found] = await sql`
        select (fold->'totals'->'side'->>'input')::int as input, (fold->'totals'->'side'->>'output')::int as output,
          (fold->'totals'->'side'->>'calls')::int as calls, (fold->>'summaryCalls')::int as summaries
        from sessions s join projects p on p.id = s.project_id where p.name = ${project}`;
      const covered = { input: 12, output: 45, calls: 4, summaries: 2 };
      expect(found).toEqual(isMissing ? { input: 16, output: 60, calls: 4, summaries: 1 } : covered);
    }),
    runs(40),
  );
});
