import { describe, expect, test } from 'vitest';
import { makeEntry } from './context-entry';
import { describeMessage } from './describe-message';
import { groupMessages } from './group-messages';

describe('the role of a message', () => {
  test.each<[string, object, string]>([
    ['system is system', { role: 'system', content: 'x' }, 'system'],
    ['developer, OpenAI’s newer word, is system', { role: 'developer', content: 'x' }, 'system'],
    ['user is user', { role: 'user', content: 'x' }, 'user'],
    ['assistant is assistant', { role: 'assistant', content: 'x' }, 'assistant'],
    ['model, Gemini’s word, is assistant', { role: 'model', parts: [{ text: 'x' }] }, 'assistant'],
    ['tool is tool', { role: 'tool', tool_call_id: 'c', content: 'x' }, 'tool'],
    ['function, OpenAI’s older word, is tool', { role: 'function', name: 'f', content: 'x' }, 'tool'],
    ['another word stands as it is', { role: 'critic', content: 'x' }, 'critic'],
    ['so does a word that objects know', { role: 'constructor', content: 'x' }, 'constructor'],
    ['a call of the Responses API is the assistant’s', { type: 'function_call', call_id: 'c' }, 'assistant'],
    ['its reasoning is the assistant’s', { type: 'reasoning', summary: [] }, 'assistant'],
    ['its output is a tool’s', { type: 'function_call_output', call_id: 'c', output: 'x' }, 'tool'],
    [
      'a user message of tool results alone is a tool’s',
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] },
      'tool',
    ],
    [
      'Gemini’s function responses are a tool’s',
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] },
      'tool',
    ],
    [
      'a user message with tool results and words of their own is the user’s',
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't', content: 'x' },
          { type: 'text', text: 'and now?' },
        ],
      },
      'user',
    ],
    [
      'what an SDK wraps has the role inside',
      { type: 'user', message: { role: 'user', content: 'x' } },
      'user',
    ],
    ['without any it is unknown', { text: 'x' }, 'unknown'],
  ])('%s', (_name, message, role) => {
    expect(describeMessage(message).role).toBe(role);
  });
});

describe('what belongs together', () => {
  const user = { role: 'user', content: 'go on' };

  function groupsOf(...messages: object[]): number[] {
    return groupMessages(messages.map((message) => makeEntry(message, 1, false, 0)));
  }

  test('messages without tools stand alone', () => {
    expect(groupsOf(user, { role: 'assistant', content: 'ok' }, user)).toEqual([0, 1, 2]);
  });

  test('OpenAI’s tool calls and all their results', () => {
    const call = { role: 'assistant', tool_calls: [{ id: 'a' }, { id: 'b' }] };
    const results = ['a', 'b'].map((id) => ({ role: 'tool', tool_call_id: id, content: 'x' }));
    expect(groupsOf(user, call, ...results, user)).toEqual([0, 1, 1, 1, 4]);
  });

  test('Anthropic’s tool uses and their results', () => {
    const call = {
      role: 'assistant',
      content: [
        { type: 'text', text: 'x' },
        { type: 'tool_use', id: 'a' },
      ],
    };
    const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] };
    expect(groupsOf(user, call, result, user)).toEqual([0, 1, 1, 3]);
  });

  test('calls of several messages that one message answers', () => {
    const calls = ['a', 'b'].map((id) => ({ role: 'assistant', content: [{ type: 'tool_use', id }] }));
    const content = ['b', 'a'].map((id) => ({ type: 'tool_result', tool_use_id: id }));
    expect(groupsOf(user, ...calls, { role: 'user', content })).toEqual([0, 1, 1, 1]);
  });

  test('the calls and outputs of the Responses API', () => {
    const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' };
    const output = { type: 'function_call_output', call_id: 'a', output: 'x' };
    expect(groupsOf(user, call, user, output)).toEqual([0, 1, 2, 1]);
  });

  test('the reasoning of the Responses API with the items that it led to', () => {
    const reasoning = { type: 'reasoning', summary: [] };
    const call = (id: string) => ({ type: 'function_call', call_id: id });
    const output = (id: string) => ({ type: 'function_call_output', call_id: id });
    const answer = { role: 'assistant', type: 'message', content: [] };
    expect(
      groupsOf(user, reasoning, call('a'), call('b'), output('a'), output('b'), reasoning, answer),
    ).toEqual([0, 1, 1, 1, 1, 1, 6, 6]);
    expect(groupsOf(reasoning, user, answer)).toEqual([0, 1, 2]);
  });

  test('calls and results of the Vercel AI SDK', () => {
    const call = { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a' }] };
    const result = { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a' }] };
    expect(groupsOf(user, call, result)).toEqual([0, 1, 1]);
  });

  test('Gemini’s responses without an id with the calls before them', () => {
    const call = { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] };
    const response = { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] };
    expect(groupsOf(user, call, response, user, call, response)).toEqual([0, 1, 1, 3, 4, 4]);
    const withId = { role: 'model', parts: [{ functionCall: { id: 'a', name: 'f' } }] };
    const answer = { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'f' } }] };
    expect(groupsOf(withId, user, answer)).toEqual([0, 1, 0]);
  });

  test('OpenAI’s older function calls and their results', () => {
    const call = { role: 'assistant', function_call: { name: 'f', arguments: '{}' } };
    expect(groupsOf(user, call, { role: 'function', name: 'f', content: 'x' })).toEqual([0, 1, 1]);
  });

  test('Ollama’s tool calls and results, which have no ids', () => {
    const call = {
      role: 'assistant',
      content: '',
      tool_calls: [{ function: { name: 'f' } }, { function: {} }],
    };
    const result = { role: 'tool', tool_name: 'f', content: 'x' };
    expect(groupsOf(user, call, result, result, user, result)).toEqual([0, 1, 1, 1, 4, 5]);
  });

  test('a result without an id and without a call stands alone', () => {
    const result = { role: 'tool', content: 'x' };
    expect(groupsOf(result, user, result, { role: 'assistant', content: 'ok' }, result)).toEqual([
      0, 1, 2, 3, 4,
    ]);
  });

  test('ids that begin anew bind a result to the latest call', () => {
    const call = { role: 'assistant', tool_calls: [{ id: 'call_0' }] };
    const result = { role: 'tool', tool_call_id: 'call_0', content: 'x' };
    expect(groupsOf(call, result, call, result)).toEqual([0, 0, 2, 2]);
  });

  test('a result whose call is gone stands alone', () => {
    expect(groupsOf({ role: 'tool', tool_call_id: 'gone', content: 'x' }, user)).toEqual([0, 1]);
  });
});

describe('the calls of a message', () => {
  const call = { type: 'tool_use', name: 'read' };
  const result = { type: 'tool_result', content: 'x' };

  test('without an id are known to be there and named by nothing', () => {
    expect(
      describeMessage({ role: 'assistant', content: [call, { ...call, id: 't1' }, { ...call, id: null }] }),
    ).toMatchObject({ calls: ['t1'], callsUnnamed: true, answers: [], answersUnnamed: false });
    expect(
      describeMessage({ role: 'user', content: [result, { ...result, tool_use_id: 't1' }] }),
    ).toMatchObject({ calls: [], callsUnnamed: false, answers: ['t1'], answersUnnamed: true });
  });

  test('are parts whose type ends like one, and no other', () => {
    const parts = [
      { type: 'tool_call_started', id: 'a' },
      { type: 'tool_result_pending', tool_use_id: 'b' },
      { id: 'c', tool_use_id: 'd' },
      { type: 'server_tool_use', id: 'e' },
      { type: 'mcp_tool_result', tool_use_id: 'f' },
    ];
    expect(describeMessage({ role: 'assistant', content: parts })).toMatchObject({
      calls: ['e'],
      answers: ['f'],
      callsUnnamed: false,
      answersUnnamed: false,
    });
  });

  test('answered by who is no user leave the role as it is', () => {
    const content = [{ ...result, tool_use_id: 't1' }];
    expect(describeMessage({ role: 'critic', content }).role).toBe('critic');
    expect(describeMessage({ role: 'user', content }).role).toBe('tool');
  });

  test('lead on where a reasoning item stands by itself, not where a message says who speaks', () => {
    expect(describeMessage({ type: 'reasoning', summary: [] }).leadsOn).toBe(true);
    expect(describeMessage({ type: 'reasoning', role: 'assistant', content: 'x' }).leadsOn).toBe(false);
    expect(describeMessage({ type: 'message', role: 'assistant', content: 'x' }).leadsOn).toBe(false);
  });

  test('beside words of the user leave the message the user’s', () => {
    const parts = [{ functionResponse: { name: 'f', response: {} } }];
    expect(describeMessage({ role: 'user', content: 'and now?', parts }).role).toBe('user');
    expect(describeMessage({ role: 'user', parts }).role).toBe('tool');
  });
});
