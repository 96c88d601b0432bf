import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildMinimalPrompt, runWithRestarts } from './index';
import { say, scriptedAgent, turnOf } from './testing/scripted-agent';

let resumeFolder: string;
beforeEach(() => {
  resumeFolder = mkdtempSync(path.join(tmpdir(), 'barograph-resume-'));
});
afterEach(() => rmSync(resumeFolder, { recursive: true, force: true }));

const broken = new Error('the process ends here');
const saved = () => readdirSync(resumeFolder);
const settings = (prompt = 'task') => ({ prompt, name: 'ticket-7', resume: true, resumeFolder });

/** Runs until the context of this number starts. */
async function runUntil(continuation: number) {
  const scripted = scriptedAgent({ contexts: [[turnOf(190_000)], [turnOf(190_000)], [say('done')]] });
  const start: typeof scripted.start = (prompt, context) => {
    if (context.continuation === continuation) throw broken;
    return scripted.start(prompt, context);
  };
  await expect(runWithRestarts({ ...settings(), agent: { ...scripted, start } })).rejects.toBe(broken);
}

async function resume(options: ReturnType<typeof settings> = settings()) {
  const agent = scriptedAgent({ contexts: Array(6).fill([say('done')]) });
  return { agent, run: await runWithRestarts({ ...options, agent }) };
}

test('a run goes on from its last checkpoint in a fresh context, and removes its state at the end', async () => {
  await runUntil(2);
  expect(saved()).toHaveLength(1);
  expect(statSync(path.join(resumeFolder, saved()[0] ?? '')).mode & 0o777).toBe(0o600);
  const { agent, run } = await resume();
  expect(agent.log[0]).toBe('start 3');
  expect(agent.starts[0]).toContain('state 2');
  expect(run).toMatchObject({ outcome: 'finished', continuations: 3, checkpoint: 'state 2' });
  expect(saved()).toEqual([]);
});

test('a run without a checkpoint goes on with the minimal prompt', async () => {
  await runUntil(0);
  expect((await resume()).agent.starts).toEqual([buildMinimalPrompt('task')]);
});

test('a run of another task, or without resume, starts from its beginning', async () => {
  await runUntil(1);
  expect((await resume({ ...settings(), resume: false })).agent.starts).toEqual(['task']);
  expect((await resume(settings('another task'))).agent.starts).toEqual(['another task']);
});

test('refuses to resume without a folder or a name', async () => {
  const agent = scriptedAgent({ contexts: [] });
  const start = (options: object) => runWithRestarts({ agent, prompt: 'p', resume: true, ...options });
  await expect(start({ name: 'n' })).rejects.toThrow(
    '"resume" needs the session of a client, or "resumeFolder"',
  );
  await expect(start({ resumeFolder })).rejects.toThrow(
    '"resume" needs a session, or a "name" that is unique',
  );
});
