import { describe, expect, test } from 'vitest';
import { fc } from '../../../core/testing/property-runs';
import { countCharacters } from './message-content';
import { describeMessage, groupMessages } from './read-message';
import { estimatingCounter } from './tracker-options';

describe('the role of a message', () => {
  test.each<[string, object, string]>([
    ['system is system', { role: 'system', content: 'x' }, 'system'],
    ['developer, OpenAI’s newer word, is system', { role: 'developer', content: 'x' }, 'system'],
    ['user is user', { role: 'user', content: 'x' }, 'user'],
    ['assistant is assistant', { role: 'assistant', content: 'x' }, 'assistant'],
    ['model, Gemini’s word, is assistant', { role: 'model', parts: [{ text: 'x' }] }, 'assistant'],
    ['tool is tool', { role: 'tool', tool_call_id: 'c', content: 'x' }, 'tool'],
    ['function, OpenAI’s older word, is tool', { role: 'function', name: 'f', content: 'x' }, 'tool'],
    ['any other role is kept', { role: 'critic', content: 'x' }, 'critic'],
    ['a role named constructor is kept', { role: 'constructor', content: 'x' }, 'constructor'],
    ['a call of the Responses API is the assistant’s', { type: 'function_call', call_id: 'c' }, 'assistant'],
    ['reasoning of the Responses API is the assistant’s', { type: 'reasoning', summary: [] }, 'assistant'],
    ['an output item is a tool’s', { type: 'function_call_output', call_id: 'c', output: 'x' }, 'tool'],
    [
      'a user message with only tool results is a tool’s',
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] },
      'tool',
    ],
    [
      'Gemini’s function responses are a tool’s',
      { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] },
      'tool',
    ],
    [
      'a user message with tool results and text is the user’s',
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
      'a wrapped message has its inner role',
      { type: 'user', message: { role: 'user', content: 'x' } },
      'user',
    ],
    ['a missing role is unknown', { text: 'x' }, 'unknown'],
    ['an empty role is unknown', { role: '', content: 'x' }, 'unknown'],
    [
      'the outer role precedes the role of an inner message',
      { role: 'user', message: { role: 'system' } },
      'user',
    ],
    ['entries that are not objects are ignored', { role: 'assistant', tool_calls: [null, 'x'] }, 'assistant'],
  ])('%s', (_name, message, role) => {
    expect(describeMessage(message).role).toBe(role);
  });
});

describe('messages that belong together', () => {
  const user = { role: 'user', content: 'go on' };

  function groupsOf(...messages: object[]): number[] {
    return groupMessages(messages.map(describeMessage));
  }

  test('are OpenAI’s tool calls and all their results', () => {
    const call = { role: 'assistant', tool_calls: [{ id: 'a' }, { id: 'b' }] };
    const results = ['a', 'b'].map((id) => ({ role: 'tool', tool_call_id: id, content: 'x' }));
    expect(groupsOf(user, call, ...results, user)).toEqual([0, 1, 1, 1, 4]);
  });

  test('are Anthropic’s tool uses and their results', () => {
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

  test('are calls of several messages and the one message with their results', () => {
    const calls = ['a', 'b'].map((id) => ({ role: 'assistant', content: [{ type: 'tool_use', id }] }));
    const content = ['b', 'a'].map((id) => ({ type: 'tool_result', tool_use_id: id }));
    expect(groupsOf(user, ...calls, { role: 'user', content })).toEqual([0, 1, 1, 1]);
  });

  test('are the calls and outputs of the Responses API', () => {
    const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' };
    const output = { type: 'function_call_output', call_id: 'a', output: 'x' };
    expect(groupsOf(user, call, user, output)).toEqual([0, 1, 2, 1]);
  });

  test('are the reasoning of the Responses API and the items after it', () => {
    const reasoning = { type: 'reasoning', summary: [] };
    const call = (id: string) => ({ type: 'function_call', call_id: id });
    const output = (id: string) => ({ type: 'function_call_output', call_id: id });
    const answer = { role: 'assistant', type: 'message', content: [] };
    expect(
      groupsOf(user, reasoning, call('a'), call('b'), output('a'), output('b'), reasoning, answer),
    ).toEqual([0, 1, 1, 1, 1, 1, 6, 6]);
    expect(groupsOf(reasoning, user, answer)).toEqual([0, 1, 2]);
  });

  test('are calls and results of the Vercel AI SDK', () => {
    const call = { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a' }] };
    const result = { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a' }] };
    expect(groupsOf(user, call, result)).toEqual([0, 1, 1]);
  });

  test('are Gemini’s calls and the responses without an id after them', () => {
    const call = { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] };
    const response = { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] };
    expect(groupsOf(user, call, response, user, call, response)).toEqual([0, 1, 1, 3, 4, 4]);
    const withId = { role: 'model', parts: [{ functionCall: { id: 'a', name: 'f' } }] };
    const answer = { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'f' } }] };
    expect(groupsOf(withId, user, answer)).toEqual([0, 1, 0]);
  });

  test('are OpenAI’s older function calls and their results', () => {
    const call = { role: 'assistant', function_call: { name: 'f', arguments: '{}' } };
    expect(groupsOf(user, call, { role: 'function', name: 'f', content: 'x' })).toEqual([0, 1, 1]);
  });

  test('are Ollama’s tool calls and results, which have no ids', () => {
    const call = {
      role: 'assistant',
      content: '',
      tool_calls: [{ function: { name: 'f' } }, { function: {} }],
    };
    const result = { role: 'tool', tool_name: 'f', content: 'x' };
    expect(groupsOf(user, call, result, result, user, result)).toEqual([0, 1, 1, 1, 4, 5]);
  });

  test('do not include a result without an id if no call precedes it', () => {
    const result = { role: 'tool', content: 'x' };
    expect(groupsOf(result, user, result, { role: 'assistant', content: 'ok' }, result)).toEqual([
      0, 1, 2, 3, 4,
    ]);
  });

  test('join a result with the latest call of a repeated id', () => {
    const call = { role: 'assistant', tool_calls: [{ id: 'call_0' }] };
    const result = { role: 'tool', tool_call_id: 'call_0', content: 'x' };
    expect(groupsOf(call, result, call, result)).toEqual([0, 0, 2, 2]);
  });
});

describe('a message', () => {
  test('starts a group if it is a reasoning item without a role', () => {
    expect(describeMessage({ type: 'reasoning', summary: [] }).leadsOn).toBe(true);
    expect(describeMessage({ type: 'reasoning', role: 'assistant', content: 'x' }).leadsOn).toBe(false);
    expect(describeMessage({ type: 'message', role: 'assistant', content: 'x' }).leadsOn).toBe(false);
  });

  test('with tool results and text has the role user, with tool results only the role tool', () => {
    const parts = [{ functionResponse: { name: 'f', response: {} } }];
    expect(describeMessage({ role: 'user', content: 'and now?', parts }).role).toBe('user');
    expect(describeMessage({ role: 'user', parts }).role).toBe('tool');
  });
});

const png = 'A'.repeat(100_000);

describe('characters of a message', () => {
  test.each<[string, object, number]>([
    ['a string', { role: 'user', content: 'Hello' }, 5],
    ['no content', { role: 'assistant', content: null }, 0],
    ['no content field', { role: 'assistant' }, 0],
    ['an empty object', {}, 0],
    [
      'no text of a picture, a sound, a film or a file',
      { role: 'user', content: ['image', 'audio', 'video', 'file'].map((type) => ({ type, text: 'words' })) },
      0,
    ],
    [
      'OpenAI’s text parts',
      {
        role: 'user',
        content: [
          { type: 'text', text: 'four' },
          { type: 'input_text', text: 'five5' },
          { type: 'output_text', text: 'six666', annotations: [{ type: 'url_citation', url: 'https://…' }] },
        ],
      },
      15,
    ],
    ['a refusal', { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }], refusal: 'never' }, 7],
    [
      'OpenAI’s tool calls: name and arguments, no id',
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_abcdef', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } },
        ],
      },
      16,
    ],
    [
      'OpenAI’s older function call',
      { role: 'assistant', content: null, function_call: { name: 'read', arguments: '{}' } },
      6,
    ],
    ['OpenAI’s tool result', { role: 'tool', tool_call_id: 'call_abcdef', content: 'done' }, 4],
    ['no name of a speaker', { role: 'user', name: 'Ada', content: 'hi' }, 2],
    [
      'a function call of the Responses API',
      { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'read', arguments: '{"path":"a"}' },
      16,
    ],
    ['its output', { type: 'function_call_output', call_id: 'call_1', output: 'done' }, 4],
    [
      'its output in parts',
      { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'done' }] },
      4,
    ],
    [
      'its reasoning: the summary, not what is encrypted',
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'hmm' }],
        encrypted_content: png,
      },
      3,
    ],
    [
      'Anthropic’s blocks: text, thinking without its signature, tool use with compact JSON',
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'let me see', signature: png },
          { type: 'redacted_thinking', data: png },
          { type: 'text', text: 'ok', cache_control: { type: 'ephemeral' } },
          { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { path: 'a', lines: [1, 2] } },
        ],
      },
      10 + 2 + 4 + '{"path":"a","lines":[1,2]}'.length,
    ],
    [
      'Anthropic’s tool results, as text and as blocks',
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: 'done' },
          {
            type: 'tool_result',
            tool_use_id: 'toolu_2',
            content: [
              { type: 'text', text: 'more' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
            ],
          },
        ],
      },
      8,
    ],
    [
      'a document given as text',
      {
        role: 'user',
        content: [
          {
            type: 'document',
            title: 'T',
            context: 'ctx',
            source: { type: 'text', media_type: 'text/plain', data: 'body' },
          },
          { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'inner' }] } },
        ],
      },
      13,
    ],
    [
      'no document given as a file',
      {
        role: 'user',
        content: [
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: png } },
          { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
        ],
      },
      0,
    ],
    [
      'no picture, sound or file',
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
          { type: 'input_image', image_url: png },
          { type: 'input_audio', input_audio: { data: png, format: 'wav' } },
          { type: 'file', file: { file_data: png } },
          { type: 'input_file', file_data: png },
          { type: 'image', image: png },
        ],
      },
      0,
    ],
    ['no generated picture', { type: 'image_generation_call', result: png }, 0],
    [
      'Gemini’s parts',
      {
        role: 'model',
        parts: [
          { text: 'one' },
          { functionCall: { name: 'read', args: { path: 'a' } } },
          { functionResponse: { name: 'read', response: { ok: true } } },
          { inlineData: { mimeType: 'image/png', data: png } },
        ],
      },
      3 + 4 + '{"path":"a"}'.length + 4 + '{"ok":true}'.length,
    ],
    [
      'the parts of the Vercel AI SDK',
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: { path: 'a' } },
          {
            type: 'tool-result',
            toolCallId: 'c1',
            toolName: 'read',
            output: { type: 'text', value: 'done' },
          },
        ],
      },
      2 + 4 + '{"path":"a"}'.length + 4 + 4,
    ],
    [
      'a message that an SDK wraps',
      { type: 'assistant', session_id: 's', message: { role: 'assistant', content: 'Hello' } },
      5,
    ],
    ['reasoning beside the answer', { role: 'assistant', reasoning: 'hm', reasoning_content: 'well' }, 6],
    [
      'the action of a built-in tool',
      { type: 'computer_call', action: { type: 'click' } },
      '{"type":"click"}'.length,
    ],
    ['the result of a tool call', { type: 'mcp_call', name: 'x', result: { a: 1 } }, 1 + '{"a":1}'.length],
    ['null as a value', { type: 'tool_use', name: 'x', input: null, args: undefined }, 1],
    ['a type that resembles a picture’s', { type: 'my_image', text: 'four' }, 4],
    ['a type that starts like a file’s', { type: 'file_search_call', result: 'done' }, 4],
    ['no document of an unknown source', { type: 'document', source: { type: 'x', content: 'four' } }, 0],
    ['a value that JSON cannot express', { type: 'tool_use', name: 'x', input: () => 'long' }, 1],
    ['text without surrogates', { role: 'user', content: 'plain' }, 5],
    ['characters, not surrogate halves', { role: 'user', content: '🦀é漢' }, 3],
    ['a lone half as one character', { role: 'user', content: '\ud83e' }, 1],
    ['halves in the wrong order as two characters', { role: 'user', content: '\udd80\ud83e' }, 2],
    [
      'the first and last pairs of surrogates as one each',
      { role: 'user', content: '\ud800\udc00\udbff\udfff' },
      2,
    ],
  ])('are counted for %s', (_name, message, characters) => {
    expect(countCharacters(message)).toBe(characters);
  });

  test('exclude cycles', () => {
    const input: Record<string, unknown> = {};
    input.self = input;
    expect(countCharacters({ role: 'assistant', content: [{ type: 'tool_use', name: 'x', input }] })).toBe(1);
    const content: unknown[] = [];
    content.push(content);
    expect(countCharacters({ role: 'user', content })).toBe(0);
  });

  test('include text up to twenty levels deep', () => {
    const nested = (depth: number): object => {
      let content: unknown = 'x';
      for (let level = 0; level < depth; level += 1) content = [content];
      return { role: 'user', content };
    };
    expect([20, 21, 22, 60].map((depth) => countCharacters(nested(depth)))).toEqual([1, 1, 0, 0]);
    const inFields = (depth: number): object => {
      let message: object = { text: 'x' };
      for (let level = 0; level < depth; level += 1) message = { content: message };
      return message;
    };
    expect([20, 21, 60].map((depth) => countCharacters(inFields(depth)))).toEqual([1, 1, 0]);
  });

  test('are counted in any object without an error', () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 4, withBigInt: true, withNullPrototype: true }), (message) => {
        const tokens = estimatingCounter.countMessage(message);
        expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true);
      }),
    );
  });
});
