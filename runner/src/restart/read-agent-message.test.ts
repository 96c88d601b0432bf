import { expect, test } from 'vitest';
import { readAgentMessage } from './index';

const usage = { input_tokens: 1, output_tokens: 2 };

test.each<[string, unknown, object]>([
  [
    'a result of Claude',
    { type: 'result', session_id: 's', usage },
    { sessionId: 's', usage, isResult: true },
  ],
  [
    'a result of Claude without usage',
    { type: 'result', session_id: 's' },
    { sessionId: 's', usage: null, isResult: true },
  ],
  [
    'a call of Claude, part of a turn',
    { type: 'assistant', session_id: 's', message: { usage } },
    { sessionId: 's' },
  ],
  ['the usage of a sub-agent of Claude', { type: 'system', session_id: 's', usage }, { sessionId: 's' }],
  ['the start of a thread of Codex', { type: 'thread.started', thread_id: 't' }, { sessionId: 't' }],
  ['a turn of Codex', { type: 'turn.completed', usage }, { usage, isResult: true }],
  [
    'a step of opencode',
    { type: 'step_finish', sessionID: 'ses_1', part: { tokens: usage } },
    { sessionId: 'ses_1', usage, isResult: true },
  ],
  ['a finished response', { type: 'response.completed', response: { usage } }, { usage, isResult: true }],
  ['a plain object', { sessionId: 's', usage }, { sessionId: 's', usage }],
  [
    'a Map',
    new Map<string, unknown>([
      ['sessionId', 's'],
      ['usage', usage],
    ]),
    { sessionId: 's', usage },
  ],
  ['a response of Gemini', { usageMetadata: usage }, { usage }],
  ['a chunk of a stream before the last one', { object: 'chat.completion.chunk', usage: null }, {}],
  ['a text', 'hello', {}],
  ['null', null, {}],
])('reads %s', (_, message, facts) => {
  expect(readAgentMessage(message)).toEqual(facts);
});
