/** The real OpenAI Agents SDK of each supported version, with a scripted server. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  chatUsage,
  chunks,
  RecordingSession,
  response,
  responseEvents,
  responsesUsage,
} from '../openai/testing/calls';
import { events, FakeModelServer, json } from '../openai/testing/fake-model-server';
import { type AgentsProcessor, createAgentsProcessor } from './openai-agents';
import { isInstalled, load, setsWith } from './testing/sdk-sets';

type Options = Record<string, unknown>;
interface Agent {
  asTool(options: Options): unknown;
}
interface Stream {
  completed: Promise<void>;
  toTextStream(): AsyncIterable<string>;
}
interface Agents {
  Agent: new (options: Options) => Agent;
  Runner: new (options: Options) => { run(agent: Agent, input: string, options?: Options): Promise<Stream> };
  OpenAIProvider: new (options: Options) => object;
  setTraceProcessors(processors: unknown[]): void;
  setTracingDisabled(isDisabled: boolean): void;
  setDefaultModelProvider(provider: object): void;
}

const call = (name: string, id: string) => ({
  id: `fc_${id}`,
  type: 'function_call',
  call_id: `call_${id}`,
  name,
  arguments: name.startsWith('transfer') ? '{}' : '{"input":"Look."}',
  status: 'completed',
});

describe.skipIf(!isInstalled()).each(setsWith('@openai/agents'))(
  'createAgentsProcessor with the %s Agents SDK',
  (set) => {
    let agents: Agents;
    let server: FakeModelServer;
    let session: RecordingSession;
    let processor: AgentsProcessor;

    beforeAll(async () => {
      agents = await load<Agents>(set, '@openai/agents');
      server = await FakeModelServer.start();
      // The SDK disables tracing in tests.
      agents.setTracingDisabled(false);
      // Old versions run the agents of tools with the default provider.
      agents.setDefaultModelProvider(new agents.OpenAIProvider({ baseURL: server.url, apiKey: 'none' }));
    });
    beforeEach(() => {
      session = new RecordingSession();
      processor = createAgentsProcessor({ session });
      agents.setTraceProcessors([processor]);
    });
    afterAll(async () => {
      agents.setTraceProcessors([]);
      await server.stop();
    });

    function runner(options: Options = {}) {
      const modelProvider = new agents.OpenAIProvider({
        baseURL: server.url,
        apiKey: 'none',
        useResponses: options.useResponses ?? true,
      });
      return new agents.Runner({ modelProvider, model: 'gpt-test-1', ...options });
    }

    test('counts each call of a run, with the cached tokens apart from the input', async () => {
      const answer = response(responsesUsage(1_200, 300, 1_000));
      server.next(json(answer));
      await runner().run(new agents.Agent({ name: 'Planner' }), 'How full is it?');
      const usage = { inputTokens: 200, outputTokens: 300, cacheReadTokens: 1_000, cacheCreationTokens: 0 };
      const turn = { call: answer.id, model: 'gpt-test-1', scope: 'main', usage };
      expect(session.turns).toEqual([{ ...turn, contextTokens: 1_500, basis: 'total' }]);
      expect(processor.snapshot.contextTokens).toBe(1_500);
    });

    test('gives an agent that is used as a tool its own chain', async () => {
      const helper = new agents.Agent({ name: 'Helper' });
      const tools = [helper.asTool({ toolName: 'help', toolDescription: 'Helps.' })];
      server.next(
        json(response(responsesUsage(100, 10), { output: [call('help', '1')] })),
        json(response(responsesUsage(40, 4))),
        json(response(responsesUsage(150, 15))),
      );
      await runner().run(new agents.Agent({ name: 'Planner', tools }), 'Ask for help.');
      expect(session.turns.map(({ chain, contextTokens }) => [chain, contextTokens])).toEqual([
        [undefined, 110],
        ['Helper', 44],
        [undefined, 165],
      ]);
      expect(processor.snapshot.contextTokens).toBe(165);
      expect(session.lenses).toHaveLength(1);
    });

    test('keeps a handoff in the main chain', async () => {
      const expert = new agents.Agent({ name: 'Expert' });
      server.next(
        json(response(responsesUsage(100, 10), { output: [call('transfer_to_Expert', '2')] })),
        json(response(responsesUsage(130, 13))),
      );
      await runner().run(new agents.Agent({ name: 'Planner', handoffs: [expert] }), 'Hand over.');
      expect(session.turns.map(({ chain, contextTokens }) => [chain, contextTokens])).toEqual([
        [undefined, 110],
        [undefined, 143],
      ]);
    });

    test.each([
      ['responses', true, () => responseEvents(response(responsesUsage(90, 10)))],
      ['chat completions', false, () => chunks(chatUsage(90, 10))],
    ])('counts a streamed call of %s once', async (_, useResponses, list) => {
      server.next(events(list()));
      const stream = await runner({ useResponses }).run(new agents.Agent({ name: 'P' }), 'Hi', {
        stream: true,
      });
      let text = '';
      for await (const part of stream.toTextStream()) text += part;
      await stream.completed;
      expect(text).toBe('Half full.');
      // Version 0.1 gives the span of a streamed chat completion no usage.
      const usage = set === 'oldest' && !useResponses ? null : { inputTokens: 90, outputTokens: 10 };
      expect(session.turns).toMatchObject([{ model: 'gpt-test-1', usage }]);
    });

    test('counts a retried call once, and does not count a refused call', async () => {
      const refusal = { error: { message: 'Later.', type: 'x' } };
      server.next(
        json(refusal, 429, { 'retry-after-ms': '1' }),
        json(response(responsesUsage(10, 5))),
        json(refusal, 400),
      );
      const agent = new agents.Agent({ name: 'P' });
      await runner().run(agent, 'Hi');
      await expect(runner().run(agent, 'Hi')).rejects.toMatchObject({ status: 400 });
      expect(session.turns).toMatchObject([{ contextTokens: 15 }]);
    });

    test('reports each conversation to its own session', async () => {
      const sessions = new Map<string, RecordingSession>();
      const sessionOf = (conversation: string) => {
        const own = new RecordingSession();
        sessions.set(conversation, own);
        return own;
      };
      agents.setTraceProcessors([createAgentsProcessor({ session: sessionOf })]);
      const agent = new agents.Agent({ name: 'P' });
      for (const groupId of ['ticket-1', 'ticket-2', 'ticket-1']) {
        server.next(json(response(responsesUsage(10, 5))));
        await runner({ groupId }).run(agent, 'Hi');
      }
      expect([...sessions].map(([name, { turns }]) => [name, turns.length])).toEqual([
        ['ticket-1', 2],
        ['ticket-2', 1],
      ]);
    });
  },
);
