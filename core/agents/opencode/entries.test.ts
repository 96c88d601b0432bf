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
