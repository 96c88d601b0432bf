import { describe, expect, test } from 'vitest';
import { fc } from '../../../core/testing/property-runs';
import { SharedContextTracker } from './shared-context-tracker';
import { recordEvents, recordingSession, type Weighed, weighed } from './testing/tracker';
import type { AsyncTokenCounter } from './tracker-options';

const counter: AsyncTokenCounter<Weighed> = {
  countMessage: ({ tokens }) => Promise.resolve(tokens),
  isExact: true,
};

async function sumOfMessages(tracker: SharedContextTracker<Weighed>): Promise<number> {
  return (await tracker.messages()).reduce((sum, { tokens }) => sum + tokens, 0);
}

/** One random call. */
const call = fc.oneof(
  { weight: 6, arbitrary: fc.record({ op: fc.constant('add'), amount: fc.integer({ min: 0, max: 500 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('compress'), amount: fc.integer({ min: 0, max: 100 }) }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('clear'), amount: fc.constant(0) }) },
);

function make(tracker: SharedContextTracker<Weighed>, op: string, amount: number): Promise<unknown> {
  if (op === 'add') return tracker.addMessage(weighed(amount % 7 === 0 ? 'system' : 'user', amount));
  return op === 'compress' ? tracker.compressToThreshold(amount) : tracker.clear();
}

describe('many callers at once', () => {
  test('get the results of sequential calls, in whatever order the counts resolve', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(call, { minLength: 1, maxLength: 30 }),
        async (scheduler, calls) => {
          const options = { limit: 1_000, autoCompress: true };
          const shared = new SharedContextTracker<Weighed>({
            ...options,
            counter: {
              countMessage: scheduler.scheduleFunction(({ tokens }: Weighed) => Promise.resolve(tokens)),
            },
          });
          const events = recordEvents(shared);
          await scheduler.waitFor(Promise.all(calls.map(({ op, amount }) => make(shared, op, amount))));

          const alone = new SharedContextTracker<Weighed>({ ...options, counter });
          const expected = recordEvents(alone);
          for (const { op, amount } of calls) await make(alone, op, amount);
          expect(await shared.messages()).toEqual(await alone.messages());
          expect((await shared.currentUsage()).contextTokens).toBe(await sumOfMessages(shared));
          expect(events).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('see every earlier call, and no later one', async () => {
    const tracker = new SharedContextTracker<Weighed>({ limit: 100, counter });
    const added = tracker.addMessage(weighed('user', 60));
    const seen = [
      tracker.currentUsage(),
      tracker.messageCount(),
      tracker.state(),
      tracker.isRedlined(),
    ] as const;
    const cleared = tracker.clear();
    const after = tracker.currentUsage();
    expect((await added).contextTokens).toBe(60);
    const [usage, count, state, redlined] = await Promise.all(seen);
    expect([usage.contextTokens, count, state, redlined]).toEqual([60, 1, 'elevated', false]);
    expect([await cleared, (await after).contextTokens]).toEqual([60, 0]);
  });
});

describe('a shared tracker', () => {
  test('rejects a call with a failed count, and continues with the others', async () => {
    const tracker = new SharedContextTracker<Weighed>({
      limit: 100,
      counter: {
        countMessage: async ({ tokens }) => {
          if (tokens === 13) throw new Error('no answer');
          return tokens;
        },
      },
    });
    const outcomes = await Promise.allSettled(
      [10, 13, -1, 20].map((tokens) => tracker.addMessage(weighed('user', tokens))),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect((await tracker.currentUsage()).contextTokens).toBe(30);
    await expect(tracker.compressToThreshold(-1)).rejects.toThrow(RangeError);
    expect(await tracker.messageCount()).toBe(2);
  });

  test('rejects a count that takes too long, and continues with the others', async () => {
    const tracker = new SharedContextTracker<Weighed>({
      limit: 100,
      counterTimeoutMs: 20,
      counter: {
        countMessage: ({ tokens }) =>
          tokens === 13 ? new Promise(() => undefined) : Promise.resolve(tokens),
      },
    });
    const [stuck, added] = await Promise.allSettled(
      [13, 20].map((tokens) => tracker.addMessage(weighed('user', tokens))),
    );
    expect(stuck).toMatchObject({ reason: { message: 'the counter did not answer within 20 ms' } });
    expect(added).toMatchObject({ status: 'fulfilled', value: { contextTokens: 20 } });
    expect(await tracker.messageCount()).toBe(1);
  });

  test.each([0, -1, 2 ** 31, Number.NaN])('refuses a timeout of %d ms', (counterTimeoutMs) => {
    const create = () => new SharedContextTracker({ limit: 100, counterTimeoutMs });
    expect(create).toThrow(
      new RangeError(`"counterTimeoutMs" must be from 1 to 2147483647, not ${counterTimeoutMs}`),
    );
  });

  test('compresses, suggests, keeps history and reports like the tracker', async () => {
    const session = recordingSession();
    const tracker = new SharedContextTracker<Weighed>({ limit: 90, counter, session, chain: 'sub-1' });
    const events = tracker.events();
    for (const tokens of [30, 31]) await tracker.addMessage(weighed('assistant', tokens));
    expect(await tracker.compressionSuggestions()).toHaveLength(1);
    expect((await tracker.composition()).roles).toEqual([{ role: 'assistant', messages: 2, tokens: 61 }]);
    await tracker.reportTurn({ usage: { inputTokens: 5 } });
    await tracker.reportReading();
    expect(await tracker.compressTo(0.5)).toEqual({ tokensBefore: 61, tokensAfter: 31, removed: 1 });
    expect(await tracker.clear()).toBe(31);
    expect((await tracker.history()).map(({ contextTokens }) => contextTokens)).toEqual([30, 61]);
    expect(session.reports.map(({ type, chain }) => [type, chain])).toEqual(
      ['turn', 'reading', 'compress', 'clear'].map((type) => [type, 'sub-1']),
    );
    expect(session.reports[0]).toMatchObject({
      contextTokens: 61,
      basis: 'total',
      usage: { inputTokens: 5 },
    });
    tracker.close();
    const types: string[] = [];
    for await (const event of events) types.push(event.type);
    expect(types).toEqual(['state_changed', 'compressed', 'state_changed', 'cleared']);
  });
});

test('a tracker refuses a counter that is only a function', () => {
  const counter = (() => Promise.resolve(1)) as never;
  expect(() => new SharedContextTracker({ limit: 1, counter })).toThrow(/createCounter/);
});
