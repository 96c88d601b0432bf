import { expect, test } from 'vitest';
import { createContentsReading } from '../../transcript/contents-reading';
import { readAll, toBytes, toLines } from '../../transcript/testing-transcripts';

const tokens = { total: 9_097, input: 12, output: 85, reasoning: 0, cache: { write: 9_000, read: 0 } };
const row = (id: string, message: object, ...parts: object[]) => ({
  ...{ id, message, parts: parts.map((part, n) => ({ id: `${id}-${n}`, at: 1_000, part })) },
});
const state = { status: 'completed', input: { command: 'echo hi' }, output: 'hi\n' };
const tool = { type: 'tool', tool: 'bash', callID: 'toolu_1', state };
const failed = { ...tool, callID: 'toolu_2', state: { status: 'error', input: {}, error: 'Not allowed' } };
const done = { role: 'assistant', modelID: 'm', finish: 'stop', time: { created: 2_000, completed: 3_000 } };
const LINES = toLines([
  { session: 'ses_1', title: 'Paint', version: '1.18.33', created: 1, directory: '/home/dev/harbour' },
  row('msg_1', { role: 'user', time: { created: 1_000 } }, { type: 'text', text: 'Run echo' }),
  row('msg_2', { ...done, tokens }, { type: 'step-start' }, { type: 'text', text: 'Running.' }, tool, failed),
  row('msg_3', { ...done }, { type: 'reasoning', text: 'It worked.' }),
  row('msg_4', { role: 'user' }, { type: 'compaction', auto: true }),
  {
    ...row('msg_5', { ...done, summary: true, tokens }, { type: 'text', text: 'The boats are painted.' }),
    auto: 1,
  },
  row('msg_6', { role: 'user' }, { type: 'text', text: 'Continue.', synthetic: true }),
]);

test('shows the messages of OpenCode with tool calls, results, calls and the compaction’s summary', () => {
  const { entries, outline, losses } = readAll(LINES, 'opencode');
  expect(entries.map(({ kind, isMeta }) => [kind, isMeta])).toEqual([
    ['record', false],
    ['user', false],
    ['assistant', false],
    ['thinking', false],
    ['record', false],
    ['compaction', false],
    ['user', true],
  ]);
  expect(entries[2]?.blocks).toMatchObject([
    { type: 'text', text: 'Running.' },
    { type: 'tool_call', callId: 'toolu_1', name: 'bash', label: 'echo hi' },
    { type: 'tool_result', isError: false, content: [{ type: 'text', text: 'hi\n' }] },
    { type: 'tool_call', callId: 'toolu_2' },
    { type: 'tool_result', isError: true, content: [{ type: 'text', text: 'Not allowed' }] },
  ]);
  expect(outline.calls[0]).toMatchObject({ model: 'm', contextTokens: 9_097 });
  expect(outline.compactions).toMatchObject([{ entry: 5, summary: 5, at: 3, trigger: 'auto' }]);
  expect(losses[0]).toMatchObject({ summary: { text: 'The boats are painted.' }, gone: { messages: 3 } });
});

test('recognises an archive of OpenCode by its lines', async () => {
  const reading = createContentsReading('x_transcript.jsonl');
  await reading.scan(toBytes(LINES));
  await reading.read(toBytes(LINES));
  expect((await reading.finish()).contents.format).toBe('opencode');
});

test('shows the messages of OpenCode 2 with tool calls, commands of the user and summaries', () => {
  const typed = (id: string, type: string, data: object) => ({ id, type, updated: 4_000, data });
  const time = { created: 2_000, completed: 3_000 };
  const content = [{ type: 'text', text: 'hi\n' }];
  const call = (more: object) => ({ type: 'tool', name: 'bash', ...more });
  const lines = toLines([
    { session: 'ses_1', title: 'Paint', version: '2.0.12', created: 1, directory: '/home/dev/harbour' },
    typed('msg_1', 'user', { text: 'Run echo', files: [{ uri: 'file:///a.txt', name: 'a.txt' }], time }),
    typed('msg_2', 'user', { content: [{ type: 'text', text: 'Again' }], time }),
    typed('msg_3', 'assistant', {
      model: { id: 'm', providerID: 'p' },
      content: [
        { type: 'text', text: 'Running.' },
        call({ id: 'toolu_1', state: { status: 'completed', input: { command: 'echo hi' }, content } }),
        call({ id: 'toolu_2', state: { status: 'error', input: {}, error: { message: 'Not allowed' } } }),
      ],
      ...{ finish: 'stop', tokens, time },
    }),
    typed('msg_4', 'shell', {
      shellID: 'sh_1',
      command: 'ls',
      status: 'exited',
      output: { output: 'a' },
      time,
    }),
    typed('msg_5', 'compaction', { status: 'completed', reason: 'manual', summary: 'Painted.', time }),
    typed('msg_6', 'synthetic', { text: 'Continue.', time }),
    typed('msg_7', 'idle', { outcome: 'succeeded', time }),
  ]);
  const { entries, outline, losses } = readAll(lines, 'opencode');
  expect(entries.map(({ kind, isMeta }) => [kind, isMeta])).toEqual([
    ['record', false],
    ['user', false],
    ['user', false],
    ['assistant', false],
    ['assistant', false],
    ['compaction', false],
    ['user', true],
    ['record', false],
  ]);
  expect(entries[1]?.blocks).toMatchObject([{ text: 'Run echo' }, { name: 'file' }]);
  expect(entries[3]?.blocks).toMatchObject([
    { type: 'text', text: 'Running.' },
    { type: 'tool_call', callId: 'toolu_1', name: 'bash', label: 'echo hi' },
    { type: 'tool_result', isError: false, content: [{ type: 'text', text: 'hi\n' }] },
    { type: 'tool_call', callId: 'toolu_2' },
    { type: 'tool_result', isError: true, content: [{ type: 'text', text: 'Not allowed' }] },
  ]);
  expect(outline.calls).toMatchObject([{ model: 'm', contextTokens: 9_097 }]);
  expect(outline.compactions).toMatchObject([{ entry: 5, summary: 5, at: 4, trigger: 'manual' }]);
  expect(losses[0]).toMatchObject({ summary: { text: 'Painted.' } });
});

test('recognises an archive of OpenCode 2 by its messages', async () => {
  const line = { id: 'msg_1', type: 'user', updated: 1, data: { text: 'Run echo' } };
  const lines = toLines([line]);
  const reading = createContentsReading('x_transcript.jsonl');
  await reading.scan(toBytes(lines));
  await reading.read(toBytes(lines));
  expect((await reading.finish()).contents.format).toBe('opencode');
});
