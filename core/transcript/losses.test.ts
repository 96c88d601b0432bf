import { describe, expect, it } from 'vitest';
import { createMentions, createNames } from './summary-names';
import {
  answered,
  boundary,
  readAll,
  said,
  summary,
  toLines,
  toolResult,
  toolUse,
} from './testing-transcripts';

describe('What a compaction dropped', () => {
  it('is the context before the compaction without the kept messages, in ranges of entries', () => {
    const kept = answered({ type: 'text', text: 'keep me' }, { call: 'k', input: 3_000 }, { uuid: 'kept' });
    const { losses } = readAll(
      toLines([
        said('one'),
        kept,
        said('two'),
        boundary({
          trigger: 'manual',
          preTokens: 3_100,
          postTokens: 80,
          preservedMessages: { uuids: ['kept'] },
        }),
        summary('It went well.'),
        answered({ type: 'text', text: 'on' }, { call: 'n', input: 700, output: 1 }),
        answered({ type: 'text', text: 'and on' }, { call: 'n', input: 700, output: 30 }),
      ]),
    );
    expect(losses).toEqual([
      expect.objectContaining({
        from: 0,
        summary: { text: 'It went well.', characters: 13 },
        tokens: { before: 3_010, preTokens: 3_100, kept: 80, after: 730 },
        kept: { messages: 1, entries: [1] },
        gone: expect.objectContaining({
          messages: 2,
          kinds: { user: 2 },
          ranges: [
            [0, 0],
            [2, 2],
          ],
        }),
      }),
    ]);
  });

  it('covers the context of each compaction, including the previous summary', () => {
    const { losses } = readAll(
      toLines([said('a'), boundary(), summary('first'), said('b'), said('c'), boundary(), summary('second')]),
    );
    expect(losses.map(({ from, gone, summary: words }) => [from, gone.messages, words?.text])).toEqual([
      [0, 1, 'first'],
      [2, 3, 'second'],
    ]);
  });

  it('lists files and tool calls that the summary does not name, with the size of their texts', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } };
    const content = [{ type: 'text', text: 'no' }, image];
    const { losses } = readAll(
      toLines([
        answered(toolUse('1', 'Read', { file_path: '/srv/harbour/tide.ts' })),
        toolResult('1', 'x'.repeat(50)),
        answered(toolUse('2', 'Edit', { file_path: '/srv/harbour/index.ts' })),
        answered(toolUse('3', 'Bash', { command: 'npm test' })),
        toolResult('3', 'failed', {
          message: { content: [{ type: 'tool_result', tool_use_id: '3', is_error: true, content }] },
        }),
        boundary(),
        summary('Read tide.ts and changed another index.ts.'),
      ]),
    );
    const [loss] = losses;
    expect(loss?.filesNamed.map(({ path, reads }) => [path, reads])).toEqual([['/srv/harbour/tide.ts', 1]]);
    expect(loss?.filesNotNamed.map(({ path, changes }) => [path, changes])).toEqual([
      ['/srv/harbour/index.ts', 1],
    ]);
    expect(loss?.toolsNotNamed).toEqual([
      {
        entry: 2,
        tool: 'Edit',
        label: '/srv/harbour/index.ts',
        isError: false,
        characters: 0,
        problem: null,
      },
      { entry: 3, tool: 'Bash', label: 'npm test', isError: true, characters: 2, problem: 'no' },
    ]);
    expect([loss?.toolsNotNamedTotal, loss?.toolsTotal]).toEqual([2, 3]);
  });

  it('detects kept messages of a rollout by their text', () => {
    const message = (role: string, text: string) => ({
      type: 'message',
      role,
      content: [{ type: 'input_text', text }],
    });
    const line = (type: string, payload: object) => ({ timestamp: '2026-03-01T10:00:00Z', type, payload });
    const { losses } = readAll(
      toLines([
        line('response_item', message('user', 'stay')),
        line('response_item', message('assistant', 'go')),
        line('compacted', { message: 'In short.', replacement_history: [message('user', 'stay')] }),
      ]),
      'codex',
    );
    expect(losses[0]).toMatchObject({
      kept: { entries: [0] },
      gone: { ranges: [[1, 1]] },
      summary: { text: 'In short.' },
    });
  });
});

describe('A file that ends with its compaction', () => {
  const work = [
    said('Rename both services.'),
    answered(toolUse('t1', 'Edit', { file_path: '/srv/pilot.ts' }), { call: 'a', input: 3_000 }),
    toolResult('t1', 'done'),
    answered(toolUse('t2', 'Edit', { file_path: '/srv/harbour.ts' }), { call: 'b', input: 4_000 }),
    toolResult('t2', 'done'),
    boundary(),
  ];

  it('is compared with the summary that was uploaded with it', () => {
    const [loss] = readAll(toLines(work), 'claude-code', 'Renamed pilot.ts.').losses;
    expect(loss).toMatchObject({
      summary: { text: 'Renamed pilot.ts.', characters: 17 },
      filesNamed: [{ path: '/srv/pilot.ts' }],
      filesNotNamed: [{ path: '/srv/harbour.ts' }],
      toolsNotNamedTotal: 1,
    });
  });

  it('prefers the summary in the file', () => {
    const text = toLines([...work, summary('Renamed harbour.ts.')]);
    const [loss] = readAll(text, 'claude-code', 'Renamed pilot.ts.').losses;
    expect(loss).toMatchObject({
      summary: { text: 'Renamed harbour.ts.' },
      filesNamed: [{ path: '/srv/harbour.ts' }],
    });
  });
});

describe('A summary names a file', () => {
  it.each([
    ['/srv/app/tide-table.ts', 'changed tide-table.ts', true],
    ['/srv/app/tide.ts', 'changed low-tide.ts', false],
    ['/srv/app/index.ts', 'changed index.ts', false],
    ['/srv/app/index.ts', 'changed app/index.ts', true],
    ['npm run lint', 'ran npm run lint twice', true],
    ['ls', 'also', false],
  ])('%s in "%s": %s', (what, text, expected) => {
    expect(createNames(text)(what)).toBe(expected);
  });
});

describe('A summary mentions a task', () => {
  it.each([
    ['Round each line', 'The user wants invoices to round each line half up.', true],
    ['Round each line', 'Lines are rounded, each one half up.', true],
    ['Add tag sync support and tests', 'Next: tag sync support, with tests.', true],
    ['Compare 200 old invoices', 'The old invoices are rounded. Next: the PDF.', false],
    ['Compare 200 old invoices', 'Compare them.\nThere are 200 old ones.', false],
    ['Deploy', 'Deploy later.', false],
    ['The of', 'It is the end of the work.', false],
  ])('%s in "%s": %s', (task, text, expected) => {
    expect(createMentions(text)(task)).toBe(expected);
  });
});
