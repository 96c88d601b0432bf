import { appendFileSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectAnswer, prepareHook, runHook } from '../hook/testing/hook';
import { readSource } from '../transcripts/collect-sources';
import { type FoldedTranscript, foldTranscript } from '../transcripts/fold-transcript';

const used = prepareHook();
const FOLDER = '/home/dev/harbour';
let calls = 0;

const line = (type: string, more: object) =>
  `${JSON.stringify({ type, uuid: `u${calls}`, sessionId: '1', cwd: FOLDER, timestamp: new Date(Date.UTC(2026, 2, 1) + calls * 30_000).toISOString(), ...more })}\n`;

/** A call after which the context has this many tokens. */
function call(tokens: number): string {
  calls += 1;
  const usage = { input_tokens: tokens - 100, output_tokens: 100 };
  const content = [{ type: 'text', text: 'Painted.' }];
  return line('assistant', {
    message: { id: `m${calls}`, role: 'assistant', model: 'claude-sonnet-4-5', content, usage },
  });
}
const write = (...lines: string[]) => appendFileSync(used.home.transcript, lines.join(''));
/** Calls whose context grows by 5 000 tokens each. */
const grow = (from: number, to: number) =>
  Array.from({ length: (to - from) / 5_000 }, (_, i) => call(from + (i + 1) * 5_000));
const recall = (...args: string[]) =>
  runHook(used.command, used.home, { args: ['recall', ...args], input: '' });
const hook = (event = 'PostToolUse', fields: object = {}) =>
  runHook(used.command, used.home, {
    args: ['warn-hook'],
    input: used.home.payload({ hook_event_name: event, ...fields }),
  });
const textOf = (stdout: string) => JSON.parse(stdout).hookSpecificOutput;

describe('barograph warn-hook', () => {
  it('answers nothing while warnings are off, which is the default', async () => {
    write(...grow(20_000, 160_000));
    expectAnswer(await hook());
    await recall('warn', '9', FOLDER);
    await recall('warn', 'off', FOLDER);
    expectAnswer(await hook());
  });

  it('warns once per context when the turns until the compaction reach the setting', async () => {
    expect((await recall('warn', '6', '/home/dev')).stdout).toContain('warned 6 turns before');
    write(...grow(20_000, 120_000));
    expectAnswer(await hook());
    write(...grow(120_000, 145_000));
    const warning = textOf((await hook('UserPromptSubmit')).stdout);
    expect(warning.hookEventName).toBe('UserPromptSubmit');
    expect(warning.additionalContext).toMatch(
      /^Barograph: about [3-6] turns until this conversation is compacted \(80 % range \d+ to \d+, 22000 tokens left\)/,
    );
    write(call(150_000));
    expectAnswer(await hook());
    write(
      line('system', {
        subtype: 'compact_boundary',
        compactMetadata: { trigger: 'auto', preTokens: 155_000 },
      }),
    );
    write(...grow(20_000, 60_000));
    expectAnswer(await hook());
    write(...grow(60_000, 145_000));
    expect(textOf((await hook()).stdout).additionalContext).toContain('until this conversation is compacted');
  });

  it.each([
    ['a sub-agent', { agent_id: 'a7' }],
    ['a missing transcript', { transcript_path: '/nowhere.jsonl' }],
  ])('answers {} inside %s', async (_, fields) => {
    await recall('warn', '50', FOLDER);
    write(...grow(20_000, 150_000));
    expectAnswer(await hook('PostToolUse', fields));
  });

  it('keeps no state of sessions that rest for more than a week', async () => {
    await recall('warn', '6', FOLDER);
    write(...grow(20_000, 60_000));
    const folder = join(used.home.folder, '.config', 'barograph', 'recall');
    await hook('PostToolUse', { session_id: 'old' });
    utimesSync(join(folder, 'old.outlook.json'), 0, 0);
    await hook('PostToolUse', { session_id: 'new' });
    expect(readdirSync(folder)).toEqual(['new.outlook.json']);
  });

  it('refuses a number of turns that is none', async () => {
    const { code, stderr } = await recall('warn', 'soon');
    expect([code, stderr]).toEqual([2, expect.stringContaining('from 1 to 1000 or off, not "soon"')]);
  });

  it('folds a growing transcript in parts to the same summary as at once', async () => {
    write(line('user', { message: { role: 'user', content: 'Paint the wall.' } }), ...grow(20_000, 60_000));
    const source = async () => {
      const found = await readSource(join(used.home.transcript));
      if (found === null) throw new Error('no transcript');
      return found;
    };
    let saved: FoldedTranscript | undefined;
    for (const to of [65_000, 80_000, 120_000]) {
      write(...grow(to - 5_000, to));
      const { reached } = await foldTranscript(await source(), saved);
      saved = JSON.parse(JSON.stringify(reached));
    }
    const parts = await foldTranscript(await source(), saved);
    expect(parts.summary).toEqual((await foldTranscript(await source())).summary);
  });
});
