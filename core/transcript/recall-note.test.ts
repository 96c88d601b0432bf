import { describe, expect, it } from 'vitest';
import { createContentsReading } from './contents-reading';
import { makeRecallNote } from './recall-note';
import {
  answered,
  boundary,
  readAll,
  said,
  summary,
  toBytes,
  toLines,
  toolResult,
  toolUse,
} from './testing-transcripts';

const options = {
  estimate: (text: string) => Math.ceil(text.length / 4),
  lookUp: 'Look up: search_history.',
};
const noteOf = (entries: readonly object[], words: string, budget = 1_500) => {
  const [loss] = readAll(toLines([...entries, boundary(), summary(words)])).losses;
  if (loss === undefined) throw new Error('no compaction');
  return makeRecallNote(loss, { ...options, budget });
};
const failed = (id: string, text: string) =>
  toolResult(id, '', {
    message: { content: [{ type: 'tool_result', tool_use_id: id, is_error: true, content: text }] },
  });

describe('A recall note', () => {
  it('quotes the messages that the summary does not contain, newest first', () => {
    const note = noteOf(
      [
        said('Rename the pilot service to harbour.'),
        said('Never touch the tide tables!'),
        said('Use port 4680 for the pilot.'),
      ],
      'The user said: "never touch the tide tables".',
    );
    expect(note?.text.split('\n')).toEqual([
      'Barograph read the transcript. The summary does not contain the following:',
      'Messages of the user, verbatim, newest first:',
      '- "Use port 4680 for the pilot."',
      '- "Rename the pilot service to harbour."',
      'Look up: search_history.',
    ]);
  });

  it('quotes the answer of a person who refused a tool call', () => {
    const refused =
      'The tool use was rejected. To tell you how to proceed, the user said:\nUse rg instead of grep.';
    const note = noteOf([answered(toolUse('1', 'Bash', { command: 'grep x' })), failed('1', refused)], '');
    expect(note?.text).toContain('- "Use rg instead of grep."');
  });

  it('contains no text that the client wrote in the name of the person', () => {
    const entries = [
      said('<command-name>/model</command-name>'),
      said('<local-command-stdout>Set model</local-command-stdout>'),
      said('[Request interrupted by user]'),
      said('Caveat', { isMeta: true }),
    ];
    expect(noteOf(entries, 'Nothing.')).toBeNull();
  });

  it('lists changed files first, then the latest files, and none that the summary names', () => {
    const note = noteOf(
      [
        answered(toolUse('1', 'Edit', { file_path: '/srv/pilot.ts' })),
        answered(toolUse('2', 'Read', { file_path: '/srv/tide.ts' })),
        answered(toolUse('3', 'Read', { file_path: '/srv/quay.ts' })),
        answered(toolUse('4', 'Read', { file_path: '/srv/boat.ts' })),
      ],
      'Read quay.ts.',
    );
    expect(note?.files).toEqual(['/srv/pilot.ts', '/srv/boat.ts', '/srv/tide.ts']);
    expect(note?.text).toContain('- /srv/pilot.ts (changed 1×)\n- /srv/boat.ts (read 1×)');
  });

  it('lists a failed command with its error, unless the command succeeded later', () => {
    const note = noteOf(
      [
        answered(toolUse('1', 'Bash', { command: 'make harbour' })),
        failed('1', 'Exit code 2\nno rule for harbour'),
        answered(toolUse('2', 'Bash', { command: 'npm test' })),
        failed('2', 'Exit code 1\n3 failed'),
        answered(toolUse('3', 'Bash', { command: 'npm test' })),
        toolResult('3', 'passed'),
      ],
      '',
    );
    expect(note?.text).toContain('did not succeed later:\n- make harbour: no rule for harbour\n');
    expect(note?.text).toContain('several times:\n- npm test (2×)');
    expect(note?.text).not.toContain('3 failed');
  });

  it('lists the open tasks of the last list, also of a list from before an earlier compaction', () => {
    const todos = [
      { content: 'Paint the quay', status: 'completed' },
      { content: 'Paint the old pilot boat', status: 'in_progress' },
      { content: 'Measure the tide', status: 'pending' },
    ];
    const note = noteOf([answered(toolUse('1', 'TodoWrite', { todos }))], 'Next: paint the old pilot boat.');
    expect(note?.text).toContain('Open tasks:\n- Measure the tide\n');
    const { losses } = readAll(
      toLines([
        answered(toolUse('1', 'TaskCreate', { subject: 'Measure the tide' })),
        toolResult('1', 'Task #7 created successfully: Measure the tide'),
        answered(toolUse('2', 'TaskCreate', { subject: 'Paint the quay' })),
        toolResult('2', 'Task #8 created successfully: Paint the quay'),
        boundary(),
        summary('One.'),
        answered(toolUse('3', 'TaskUpdate', { taskId: '8', status: 'completed' })),
        boundary(),
        summary('Two.'),
      ]),
    );
    expect(losses[1]?.tasks).toEqual([{ text: 'Measure the tide', isStarted: false }]);
  });

  it('masks secrets in messages, commands and errors', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const lines = [
      said(`Push with ${token}.`),
      answered(toolUse('1', 'Bash', { command: `git push https://x:${token}@host/x` })),
      failed('1', `${token} is not valid`),
      boundary(),
      summary('It went on.'),
    ];
    const bytes = toBytes(toLines(lines));
    const reading = createContentsReading('s.jsonl');
    await reading.scan(bytes);
    await reading.read(bytes);
    const [loss] = (await reading.finish()).contents.losses;
    const note = loss && makeRecallNote(loss, options);
    expect(note?.text).toMatch(/"Push with \[secret \d: GitHub token\]\."/);
    expect(note?.text).not.toContain('a1B2');
    expect(note?.commands).toEqual([]);
  });
});

describe('The budget of a recall note', () => {
  const many = Array.from({ length: 40 }, (_, i) => said(`Message ${i}: ${'rope '.repeat(100)}`));
  const files = Array.from({ length: 30 }, (_, i) =>
    answered(toolUse(`${i}`, 'Read', { file_path: `/srv/f${i}.ts` })),
  );

  it('is never exceeded, whatever the compaction dropped', () => {
    for (const budget of [100, 300, 1_500]) {
      expect(noteOf([...many, ...files], '', budget)?.tokens).toBeLessThanOrEqual(budget);
    }
  });

  it('shortens long messages before it omits old messages, and says how much is missing', () => {
    const note = noteOf([...many, said('Stop.')], '');
    expect(note?.omitted).toBe(0);
    expect(note?.text).toMatch(/- "Stop\."\n- "Message 39: [rope …]+" \[\d+ characters more\]/);
  });

  it('omits the oldest messages if not even their beginnings fit', () => {
    const note = noteOf(many, '', 300);
    expect(note?.omitted).toBeGreaterThan(0);
    expect(note?.text).toContain('Message 39');
    expect(note?.text).not.toContain('Message 0:');
  });

  it('keeps a share for files beside long messages, and lists only the latest files that were read once', () => {
    expect(noteOf([...many, ...files], '')?.files).toEqual(['/srv/f29.ts', '/srv/f28.ts', '/srv/f27.ts']);
  });

  it('counts equal messages once', () => {
    expect(noteOf([said('continue'), said('continue')], '')?.text).toContain('- "continue" (2 times)');
  });
});
