import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectAnswer, prepareHook, type RunOptions, runHook } from '../hook/testing/hook';

const used = prepareHook();
const FOLDER = '/home/dev/harbour';
const PROJECT = '/home/dev';

const run = (options: RunOptions = {}) =>
  runHook(used.command, used.home, { args: ['recall-hook'], ...options });
const recall = (...args: string[]) =>
  runHook(used.command, used.home, { args: ['recall', ...args], input: '' });
const hook = (event: string, fields: object = {}) =>
  run({ input: used.home.payload({ hook_event_name: event, ...fields }) });
const compacted = () => hook('SessionStart', { source: 'compact' });
const contextIn = (stdout: string) => JSON.parse(stdout).hookSpecificOutput?.additionalContext ?? '';

const line = (type: string, more: object) =>
  `${JSON.stringify({ type, uuid: randomUUID(), sessionId: '1', cwd: FOLDER, ...more })}\n`;
const said = (text: string, more = {}) => line('user', { message: { role: 'user', content: text }, ...more });
const answered = (path: string) =>
  line('assistant', {
    message: {
      id: path,
      role: 'assistant',
      model: 'm',
      content: [{ type: 'tool_use', id: path, name: 'Edit', input: { file_path: path } }],
      usage: { input_tokens: 9, output_tokens: 1 },
    },
  });
const write = (...lines: string[]) => appendFileSync(used.home.transcript, lines.join(''));
const BOUNDARY = line('system', { subtype: 'compact_boundary', compactMetadata: { trigger: 'auto' } });

describe('barograph recall-hook', () => {
  it('answers nothing while recall is off, which is the default', async () => {
    write(said('Paint the harbour wall in blue.'));
    expectAnswer(await compacted());
    await recall('on', PROJECT);
    await recall('off', FOLDER);
    expectAnswer(await compacted());
  });

  it('gives Claude Code the note at its start after a compaction, with the summary of the hook before', async () => {
    await recall('on', PROJECT);
    write(said('An older message of the user.'), answered('/srv/old.ts'), BOUNDARY);
    write(said('Older.', { isCompactSummary: true }));
    write(said('Paint the harbour wall in blue.'), answered('/srv/wall.ts'), answered('/srv/tide.ts'));
    write(said(`Push with ghp_${'a1B2'.repeat(9)}.`));
    const summary = '<analysis>wall.ts</analysis>\n<summary>Changed tide.ts.</summary>';
    expectAnswer(await hook('SubagentStop', { agent_type: 'Explore', last_assistant_message: 'wall.ts' }));
    expectAnswer(await hook('SubagentStop', { agent_type: '', last_assistant_message: summary }));
    const note = contextIn((await compacted()).stdout);
    expect(note).toMatch(/^Barograph read the transcript\. The summary does not contain the following:\n/);
    expect(note).toMatch(
      /- "Push with \[secret \d: GitHub token\]\."\n- "Paint the harbour wall in blue\."\n/,
    );
    expect(note).toContain('- /srv/wall.ts (changed 1×)');
    expect(note).not.toContain('tide.ts');
    expect(note).not.toContain('older message');
    expect(readdirSync(join(used.home.folder, '.config', 'barograph', 'recall'))).toEqual([]);
  });

  it('gives the note of a compaction that the transcript contains already', async () => {
    await recall('on', FOLDER);
    write(said('Paint the harbour wall in blue.'), answered('/srv/wall.ts'), BOUNDARY);
    write(said('Changed wall.ts.', { isCompactSummary: true }));
    const note = contextIn((await compacted()).stdout);
    expect(note).toContain('- "Paint the harbour wall in blue."');
    expect(note).not.toContain('wall.ts (');
    expect((await recall('show', used.home.transcript)).stdout.trim()).toBe(note);
  });

  it('with ask, returns a question for the user instead of the note', async () => {
    await recall('ask', FOLDER);
    write(said('Paint the harbour wall in blue.'));
    const offer = contextIn((await compacted()).stdout);
    expect(offer).toMatch(/Ask the user whether to read it; `barograph recall show .+1\.jsonl` prints it\./);
    expect(offer).not.toContain('harbour wall');
  });

  it.each([
    ['another start', 'SessionStart', { source: 'startup' }],
    ['a missing transcript', 'SessionStart', { source: 'compact', transcript_path: '/nowhere.jsonl' }],
    ['another event', 'Stop', {}],
  ])('answers {} to %s', async (_, event, fields) => {
    await recall('on', FOLDER);
    write(said('Paint the harbour wall in blue.'));
    expectAnswer(await hook(event, fields));
  });

  it('answers {} to input that is not JSON', async () => {
    expectAnswer(await run({ input: 'no' }));
    expect(existsSync(join(used.home.folder, '.config'))).toBe(false);
  });
});
