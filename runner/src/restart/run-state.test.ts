import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recordingLogger } from '../usage/testing/recording-logger';
import { buildMinimalPrompt, createAnthropicAgent, runWithRestarts } from './index';
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

/** A run with two calls. Only the first one gets an answer. */
function runWithoutAnswer(session: object) {
  const usage = { input_tokens: 5, output_tokens: 2 };
  const content = [{ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }];
  const answers = [{ id: 'msg_1', content, stop_reason: 'tool_use', usage }];
  const controller = new AbortController();
  let notify: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => {
    notify = resolve;
  });
  const create = async () => {
    const answer = answers.shift();
    if (answer === undefined) notify();
    return answer ?? new Promise(() => undefined);
  };
  const client = { messages: { create: create as never } };
  const agent = createAnthropicAgent({ client, request: {}, runTool: async () => 'word '.repeat(2_000) });
  const given = {
    ...settings(),
    agent,
    session: session as never,
    signal: controller.signal,
    stopTimeoutMs: 5,
  };
  const run = runWithRestarts(given);
  return { run, waiting, cancel: () => controller.abort(broken) };
}

/** The gap of a call with a request of 2 000 words. */
const lostCall = {
  count: 1,
  bound: 'atMost',
  reason: expect.stringMatching(/^a call with a request of about 1\d\d\d tokens ended without an answer$/),
};
const recording = (reports: unknown[]) => ({
  turn: () => reports.push('turn'),
  restart: ({ reason }: { reason: string }) => reports.push(reason),
  gap: (gap: object) => reports.push(gap),
});

test('a run that resumes after a kill reports the call that was in flight as a gap, once', async () => {
  const { run, waiting, cancel } = runWithoutAnswer(recording([]));
  await waiting;
  const file = path.join(resumeFolder, saved()[0] ?? '');
  const atKill = readFileSync(file, 'utf8');
  cancel();
  await expect(run).rejects.toBe(broken);
  writeFileSync(file, atKill);
  const reports: unknown[] = [];
  const logger = recordingLogger();
  const failing = { ...scriptedAgent({ contexts: [] }), start: () => Promise.reject(broken) };
  const options = { ...settings(), session: recording(reports), logger };
  await expect(runWithRestarts({ ...options, agent: failing })).rejects.toBe(broken);
  expect(reports).toEqual([lostCall, 'resumed']);
  expect(logger.lines.filter((line) => line.includes('without an answer'))).toHaveLength(1);
  await runWithRestarts({ ...options, agent: scriptedAgent({ contexts: Array(6).fill([say('done')]) }) });
  expect(reports).toEqual([lostCall, 'resumed', 'resumed']);
});

test('a call is assumed after each message with usage of an agent that notes no calls', async () => {
  const calls = { usage: { input_tokens: 900, output_tokens: 100 } };
  const gapsOf = async (messages: object[]) => {
    const controller = new AbortController();
    const reports: unknown[] = [];
    const agent = {
      async *start() {
        yield* messages;
        controller.abort(broken);
        await new Promise(() => undefined);
      },
      query: async () => '',
    };
    const session = recording(reports) as never;
    const options = { prompt: 'task', session, signal: controller.signal, stopTimeoutMs: 5 };
    await expect(runWithRestarts({ ...options, agent })).rejects.toBe(broken);
    return reports.filter((report) => typeof report === 'object');
  };
  const about = (tokens: number) => ({
    ...lostCall,
    reason: expect.stringContaining(`about ${tokens} tokens`),
  });
  expect(await gapsOf([])).toEqual([about(1)]);
  expect(await gapsOf([calls])).toEqual([about(1_000)]);
  expect(await gapsOf([{ type: 'result', ...calls }])).toEqual([]);
});

test('a cancelled run reports the call that was in flight as a gap at once', async () => {
  const reports: unknown[] = [];
  const { run, waiting, cancel } = runWithoutAnswer(recording(reports));
  await waiting;
  cancel();
  await expect(run).rejects.toBe(broken);
  expect(reports).toEqual(['turn', lostCall]);
  await runWithRestarts({
    ...{ ...settings(), session: recording(reports) },
    agent: scriptedAgent({ contexts: Array(6).fill([say('done')]) }),
  });
  expect(reports).toEqual(['turn', lostCall, 'resumed']);
});
