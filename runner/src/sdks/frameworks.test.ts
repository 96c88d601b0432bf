/** Tests with the values that the frameworks pass on, but without the frameworks. `npm run test:sdks` tests with them. */
import { expect, test } from 'vitest';
import { RecordingLogger, RecordingSession, response, responsesUsage } from '../openai/testing/calls';
import { createAgentsProcessor, createAiSdkMiddleware, createLangChainHandler } from './index';

const CACHED = { inputTokens: 200, outputTokens: 300, cacheReadTokens: 900, cacheCreationTokens: 100 };
const FLAT = { inputTokens: 1_200, outputTokens: 300, totalTokens: 1_500, cachedInputTokens: 1_000 };
const NESTED = {
  inputTokens: { total: 1_200, noCache: 200, cacheRead: 900, cacheWrite: 100 },
  outputTokens: { total: 300, text: 250, reasoning: 50 },
};

test.each([
  ['flat counts, as in version 5', FLAT, { ...CACHED, cacheReadTokens: 1_000, cacheCreationTokens: 0 }],
  ['nested counts, as since version 6', NESTED, CACHED],
])('the AI SDK’s middleware reads %s', async (_, usage, expected) => {
  const session = new RecordingSession();
  const middleware = createAiSdkMiddleware({ session, scope: 'side', chain: 'titles' });
  const answer = { usage, response: { id: 'resp_1abcdefgh', modelId: 'm' } };
  expect(await middleware.wrapGenerate({ doGenerate: async () => answer })).toBe(answer);
  const turn = { call: 'resp_1abcdefgh', model: 'm', chain: 'titles', scope: 'side' };
  expect(session.turns).toEqual([{ ...turn, usage: expected }]);
  expect(middleware.snapshot.contextTokens).toBeNull();
});

test.each([
  ['ends', [{ usage: CACHED }], 'read'],
  ['breaks', [{ usage: null }], 'break'],
  ['is cancelled', [{ usage: null }], 'cancel'],
])('the AI SDK’s middleware reports a stream that %s', async (_, expected, end) => {
  const session = new RecordingSession();
  const parts = [{ type: 'stream-start' }, { type: 'text-delta' }, { type: 'finish', usage: NESTED }];
  const source = new ReadableStream({
    pull(controller) {
      const part = end === 'break' && parts.length === 1 ? undefined : parts.shift();
      if (part !== undefined) controller.enqueue(part);
      else if (end === 'break') controller.error(new Error('The connection broke.'));
      else controller.close();
    },
  });
  const { stream } = await createAiSdkMiddleware({ session }).wrapStream({
    doStream: async () => ({ stream: source }),
  });
  const reader = stream.getReader();
  const read = async () => {
    await reader.read();
    await reader.read();
    if (end === 'cancel') return reader.cancel();
    while (!(await reader.read()).done);
  };
  if (end === 'break') await expect(read()).rejects.toThrow('The connection broke.');
  else await read();
  expect(session.turns).toMatchObject(expected);
});

test('LangChain’s handler subtracts tokens read from and written to the cache, and ignores cached answers', () => {
  const session = new RecordingSession();
  const handler = createLangChainHandler({ session });
  const usage_metadata = {
    input_tokens: 1_200,
    output_tokens: 300,
    total_tokens: 1_500,
    input_token_details: { cache_read: 900, cache_creation: 100 },
  };
  const message = { id: 'run-1f0c3a', usage_metadata, response_metadata: { model: 'claude-test-1' } };
  handler.handleLLMEnd({ generations: [[{ message }]] }, 'run');
  handler.handleLLMEnd({ generations: [[{ message }]] }, 'run', undefined, undefined, { cached: true });
  expect(session.turns).toMatchObject([{ usage: CACHED, contextTokens: 1_500, model: 'claude-test-1' }]);
});

test('LangChain’s handler counts a failed stream with the usage that it reported before the failure', () => {
  const session = new RecordingSession();
  const handler = createLangChainHandler({ session });
  for (const run of ['begun', 'refused'])
    handler.handleChatModelStart({}, [], run, undefined, {}, [], { ls_model_name: 'claude-test-1' });
  const first = { usage_metadata: { input_tokens: 40, output_tokens: 1, total_tokens: 41 } };
  handler.handleLLMNewToken('', {}, 'begun', undefined, [], { chunk: { message: first } });
  handler.handleLLMNewToken('Half', {}, 'begun', undefined, [], { chunk: { message: {} } });
  for (const run of ['begun', 'refused']) handler.handleLLMError(new Error('It broke.'), run);
  expect(session.turns).toMatchObject([
    { usage: { inputTokens: 40, outputTokens: 1 }, model: 'claude-test-1' },
  ]);
});

test('the processor of the Agents SDK names the chain of an agent that a tool runs', async () => {
  const session = new RecordingSession();
  const processor = createAgentsProcessor({ session });
  const span = (spanId: string, parentId: string | null, spanData: object) => ({
    traceId: 'trace_1',
    spanId,
    parentId,
    spanData,
    error: null,
  });
  await processor.onSpanStart(span('a', null, { type: 'agent', name: 'Planner' }));
  await processor.onSpanStart(span('b', 'a', { type: 'function', name: 'help' }));
  await processor.onSpanStart(span('c', 'b', { type: 'agent', name: 'Helper' }));
  const answer = () => ({ type: 'response', _response: response(responsesUsage(10, 5)) });
  await processor.onSpanEnd(span('d', 'c', answer()));
  await processor.onSpanEnd(span('e', 'a', answer()));
  await processor.onSpanEnd(span('b', 'a', { type: 'function', name: 'help' }));
  await processor.onSpanEnd({ ...span('f', 'a', { type: 'response' }), error: { message: 'Refused.' } });
  expect(session.turns.map(({ chain }) => chain)).toEqual(['Helper', undefined]);
});

test('a usage that cannot be read is a turn without usage and a warning, and never an error', async () => {
  const logger = new RecordingLogger();
  const session = new RecordingSession();
  const unreadable = { input_tokens: 'many', output_tokens: 0.5, total_tokens: 'many', inputTokens: 'many' };
  const options = { session, logger };
  const middleware = createAiSdkMiddleware(options);
  await middleware.wrapGenerate({ doGenerate: async () => ({ usage: unreadable }) });
  await middleware.wrapGenerate({ doGenerate: async () => ({ usage: { inputTokens: Number.NaN } }) });
  const message = { usage_metadata: unreadable };
  createLangChainHandler(options).handleLLMEnd({ generations: [[{ message }]] }, 'run');
  const spanData = { type: 'response', _response: { id: 'resp_1abcdefgh', usage: unreadable } };
  await createAgentsProcessor(options).onSpanEnd({ traceId: 't', spanId: 's', spanData });
  expect(session.turns.map(({ usage }) => usage)).toEqual([null, null, null, null]);
  expect(logger.lines.filter((line) => line.startsWith('warn'))).toEqual(
    Array.from({ length: 3 }, () => 'warn: a usage could not be read'),
  );
});
