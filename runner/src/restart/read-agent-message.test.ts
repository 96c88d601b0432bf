import { expect, test } from 'vitest';
import { readAgentMessage } from './index';

const usage = { input_tokens: 1, output_tokens: 2 };

const size = { contextTokens: 3 };
/** It is assumed that the usage is that of a single call. */
const assumed = { ...size, assumes: expect.stringContaining('single call') };

const stepOf = (id: string, inputTokens: number) => ({
  finishReason: 'stop',
  response: { id, modelId: 'gpt-5' },
  usage: { inputTokens },
});
const callOf = (call: string, inputTokens: number) => ({
  usage: { inputTokens },
  contextTokens: inputTokens,
  call,
  model: 'gpt-5',
});
const named = { sessionId: 's' };
const result = { type: 'result', session_id: 's' };

test.each<[string, unknown, object]>([
  ['a result of Claude', { ...result, usage }, { ...named, usage, isResult: true }],
  ['a result of Claude without usage', result, { ...named, usage: null, isResult: true }],
  [
    'a result of Claude that made no call',
    { ...result, usage: { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0 } },
    { ...named, isResult: true },
  ],
  ['a call of Claude, part of a turn', { type: 'assistant', session_id: 's', message: { usage } }, named],
  ['the usage of a sub-agent of Claude', { type: 'system', session_id: 's', usage }, named],
  ['the start of a thread of Codex', { type: 'thread.started', thread_id: 't' }, { sessionId: 't' }],
  ['a turn of Codex', { type: 'turn.completed', usage }, { usage, isResult: true }],
  [
    'a step of opencode',
    { type: 'step_finish', sessionID: 'ses_1', part: { tokens: usage } },
    { sessionId: 'ses_1', usage, isResult: true, ...size },
  ],
  [
    'a finished response',
    { type: 'response.completed', response: { usage } },
    { usage, isResult: true, ...size },
  ],
  ['a response of Anthropic', { type: 'message', usage }, { usage, ...size }],
  ['a plain object', { sessionId: 's', usage }, { ...named, usage, ...assumed }],
  ['a Map', new Map(Object.entries({ sessionId: 's', usage })), { ...named, usage, ...assumed }],
  ['a response of Gemini', { usageMetadata: usage }, { usage, ...assumed }],
  ['a usage of unknown origin', { usage: { inputTokens: 1 } }, { usage: { inputTokens: 1 } }],
  ['a chunk of a stream before the last one', { object: 'chat.completion.chunk', usage: null }, {}],
  [
    'the id and the model of a response',
    {
      sessionId: 's',
      object: 'chat.completion',
      id: 'chatcmpl-x',
      model: 'gpt-4o',
      usage: { prompt_tokens: 7 },
    },
    { ...named, call: 'chatcmpl-x', model: 'gpt-4o', usage: { prompt_tokens: 7 }, contextTokens: 7 },
  ],
  [
    'the steps of a result of the AI SDK',
    { finishReason: 'stop', usage: { inputTokens: 9 }, steps: [stepOf('a', 5), stepOf('b', 9)] },
    { ...callOf('b', 9), calls: [callOf('a', 5)] },
  ],
  [
    'a compaction of Claude',
    {
      type: 'system',
      subtype: 'compact_boundary',
      session_id: 's',
      uuid: 'b-1',
      compact_metadata: { pre_tokens: 8 },
    },
    { ...named, boundary: { kind: 'compaction', id: 'b-1', trigger: 'auto', preTokens: 8 } },
  ],
  ['a text', 'hello', {}],
  ['null', null, {}],
])('reads %s', (_, message, facts) => {
  expect(readAgentMessage(message)).toEqual(facts);
});
