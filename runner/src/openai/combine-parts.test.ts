/** A loop, a tracker and a tracked client report to one session. Each call counts once. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runWithRestarts } from '../restart/index';
import { ContextTracker } from '../tracker/index';
import { UsageProcessor } from '../usage/index';
import { trackOpenAI } from './index';
import {
  chatUsage,
  chunks,
  completion,
  createTestClient,
  MESSAGES,
  MODEL,
  RecordingSession,
} from './testing/calls';
import { events, FakeModelServer, json } from './testing/fake-model-server';

let server: FakeModelServer;
beforeAll(async () => {
  server = await FakeModelServer.start();
});
afterAll(() => server.stop());

/** A session of the library that keeps the turns. */
class Session extends RecordingSession {
  restart = () => undefined;
  clear = () => undefined;
  compress = () => undefined;
  reading = () => undefined;
}

const body = { model: MODEL, messages: MESSAGES };
/** Usages of 22 calls; two of the calls have equal counts. */
const USAGES = Array.from({ length: 22 }, (_, index) => chatUsage(100 * Math.max(1, index), 10, 20));
const PROMPTS = USAGES.map(({ prompt_tokens }) => prompt_tokens - 20);

function combine() {
  const session = new Session();
  const openai = trackOpenAI(createTestClient(server), { session });
  return { session, openai };
}

/** The input of each call. Turns with one id describe one call. */
function inputsOf({ turns }: Session) {
  const isFirst = ({ call }: (typeof turns)[number], index: number) =>
    call === undefined || turns.findIndex((turn) => turn.call === call) === index;
  return turns.filter(isFirst).map(({ usage }) => usage?.inputTokens);
}
const namesOf = ({ turns }: Session) => new Set(turns.map(({ call }) => call));

describe('a tracked client in the restart loop', () => {
  test.each([
    ['the responses', (answer: object) => ({ sessionId: 's-1', ...answer })],
    ['the usage of each response', ({ usage }: { usage?: unknown }) => ({ sessionId: 's-1', usage })],
  ])('reports each call once if the agent yields %s', async (_, toMessage) => {
    const { session, openai } = combine();
    server.next(...USAGES.map((usage) => json(completion(usage))));
    const agent = {
      async *start() {
        for (const _usage of USAGES) yield toMessage(await openai.chat.completions.create(body));
      },
      query: async () => '',
    };
    const { contexts } = await runWithRestarts({ agent, prompt: 'p', session, limit: 1_000_000 });
    expect(inputsOf(session)).toEqual(PROMPTS);
    expect(namesOf(session).size).toBe(22);
    expect(contexts[0]?.inputTokens).toBe(PROMPTS.reduce((sum, input) => sum + input));
  });

  test('reports each call once if the agent yields the chunks of its streams', async () => {
    const { session, openai } = combine();
    server.next(...USAGES.map((usage) => events(chunks(usage))));
    const agent = {
      async *start() {
        const stream_options = { include_usage: true };
        for (const _ of USAGES) {
          yield* await openai.chat.completions.create({ ...body, stream: true, stream_options });
        }
      },
      query: async () => '',
    };
    await runWithRestarts({ agent, prompt: 'p', session, limit: 1_000_000 });
    expect(inputsOf(session)).toEqual(PROMPTS);
  });

  test('reports no sum of the calls of a turn', async () => {
    const { session, openai } = combine();
    const processor = new UsageProcessor({ session });
    server.next(...USAGES.slice(0, 3).map((usage) => json(completion(usage))));
    for (let index = 0; index < 3; index += 1) await openai.chat.completions.create(body);
    processor.process({ type: 'result', usage: chatUsage(400, 30, 60) });
    expect(inputsOf(session)).toEqual(PROMPTS.slice(0, 3));
    expect(processor.usage.inputTokens).toBe(340);
  });
});

describe('a tracker', () => {
  const composed = { roles: [{ role: 'user', messages: 1, tokens: 3 }] };

  test.each([
    ['its call', true],
    ['no call', false],
  ])('with %s adds the composition to the call of a tracked client', async (_, isNamed) => {
    const { session, openai } = combine();
    const tracker = new ContextTracker({ limit: 128_000, session });
    server.next(json(completion(chatUsage(120, 10, 20))));
    const { id } = await openai.chat.completions.create(body);
    tracker.addMessage({ role: 'user', content: 'hello' }, { tokens: 3 });
    tracker.reportTurn({ usage: { inputTokens: 100, outputTokens: 10 }, ...(isNamed ? { call: id } : {}) });
    const size = { contextTokens: 130 };
    expect(session.turns).toMatchObject([
      { call: id, ...size },
      {
        call: id,
        ...size,
        usage: { inputTokens: 100, outputTokens: 10, cacheReadTokens: 20 },
        composition: composed,
      },
    ]);
  });

  test('without a call reports no turn of a loop again', () => {
    const { session } = combine();
    const tracker = new ContextTracker({ limit: 128_000, session });
    const processor = new UsageProcessor({ session });
    for (const input of [5, 5, 9]) {
      processor.process({ input, output: 2 });
      tracker.reportTurn({ usage: { inputTokens: input, outputTokens: 2 } });
    }
    tracker.reportTurn({ usage: { inputTokens: 9, outputTokens: 2 } });
    // The last turn has no turn of the loop, so it is another call.
    expect(inputsOf(session)).toEqual([5, 5, 9, 9]);
  });
});

describe('a tracker that knows neither usage nor call', () => {
  test('adds the composition to the newest call of a tracked client and a loop', async () => {
    const { session, openai } = combine();
    const tracker = new ContextTracker({ limit: 128_000, session });
    const processor = new UsageProcessor({ session });
    server.next(...USAGES.map((usage) => json(completion(usage))));
    for (const _usage of USAGES) {
      const answer = await openai.chat.completions.create(body);
      tracker.addMessage({ role: 'user', content: 'hello' });
      tracker.reportTurn();
      processor.process(answer);
    }
    expect(inputsOf(session)).toEqual(PROMPTS);
    expect(session.turns.filter(({ usage }) => !usage)).toEqual([]);
    const sizes = USAGES.map(({ total_tokens }) => total_tokens);
    const composed = session.turns.filter(({ composition }) => composition !== undefined);
    expect(composed.map(({ contextTokens }) => contextTokens)).toEqual(sizes);
  });

  test('names the call that a tracked client and a loop report afterwards', async () => {
    const { session, openai } = combine();
    const tracker = new ContextTracker({ limit: 128_000, session });
    const processor = new UsageProcessor({ session });
    server.next(...USAGES.map((usage) => json(completion(usage))));
    for (const _usage of USAGES) {
      tracker.addMessage({ role: 'user', content: 'hello' });
      tracker.reportTurn();
      processor.process(await openai.chat.completions.create(body));
    }
    const latest = [...new Map(session.turns.map((turn) => [[turn.call].flat()[0], turn])).values()];
    expect(latest.map(({ usage }) => usage?.inputTokens)).toEqual(PROMPTS);
    expect(latest.map(({ contextTokens }) => contextTokens)).toEqual(
      USAGES.map(({ total_tokens }) => total_tokens),
    );
    expect(latest.every(({ call, composition }) => call?.length === 2 && composition)).toBe(true);
  });

  test('reports a call of its own if no other part has a new one', () => {
    const session = new Session();
    const tracker = new ContextTracker({ limit: 128_000, session });
    tracker.addMessage({ role: 'user', content: 'hello' });
    for (let call = 0; call < 2; call += 1) tracker.reportTurn();
    expect(session.turns).toHaveLength(2);
  });
});

describe('turns stay apart', () => {
  test.each<[string, (session: Session) => void]>([
    [
      'of two processors with equal usage',
      (session) => {
        for (let count = 0; count < 2; count += 1)
          new UsageProcessor({ session }).process({ input: 5, output: 2 });
      },
    ],
    [
      'of two chains',
      (session) => {
        new UsageProcessor({ session }).process({ input: 5, output: 2 });
        new ContextTracker({ limit: 9, session, chain: 'sub' }).reportTurn({
          usage: { inputTokens: 5, outputTokens: 2 },
        });
      },
    ],
    [
      'with different ids',
      (session) => {
        new UsageProcessor({ session }).process({ input: 5, output: 2 }, { call: 'a' });
        new ContextTracker({ limit: 9, session }).reportTurn({
          usage: { inputTokens: 5, outputTokens: 2 },
          call: 'b',
        });
      },
    ],
    [
      'without tokens',
      (session) => {
        new UsageProcessor({ session }).process({ input: 0, output: 0 });
        new ContextTracker({ limit: 9, session }).reportTurn({
          usage: { inputTokens: 0, outputTokens: 0 },
        });
      },
    ],
  ])('%s', (_, report) => {
    const session = new Session();
    report(session);
    expect(session.turns).toHaveLength(2);
  });
});
