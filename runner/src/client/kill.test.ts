import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PATIENCE_MS } from '../../../core/testing/patience';
import { bundleScript } from '../../testing/bundle-script';
import { createClient } from './create-client';
import { FakeServer } from './testing/fake-server';

const script = await bundleScript(new URL('testing/hand-over-until-killed.ts', import.meta.url).pathname);
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'p4-kill-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a process until it has sent this many turns, then kills it. @returns the last seq that the process printed. */
async function runAndKill(url: string, turns: number): Promise<number> {
  const child = spawn(process.execPath, [script, folder, url], {
    env: { NODE_ENV: 'test', PATH: process.env.PATH ?? '', HOME: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const exited = once(child, 'exit');
  for await (const chunk of child.stdout) {
    output += chunk;
    if (!child.killed && output.split('\n').length > turns) child.kill('SIGKILL');
  }
  await exited;
  const whole = output.slice(0, output.lastIndexOf('\n')).split('\n');
  return Number(whole.at(-1));
}

const open = (url: string) =>
  createClient({ url, token: null, project: 'p', runner: { name: 'r' }, queueFolder: folder });

test('loses no sent item when killed with -9 while the server is away', async () => {
  const last = await runAndKill('http://127.0.0.1:9', 2_000);
  const server = await FakeServer.start();
  // A queue belongs to one server address: a client with another address does not adopt it.
  const stranger = open(server.url);
  expect(stranger.stats()).toMatchObject({ queued: 0, adopted: { queues: 0 } });
  await stranger.close(0);
  await server.stop();
  const heir = open('http://127.0.0.1:9');
  expect(heir.stats().queued).toBeGreaterThanOrEqual(last);
  await heir.close(0);
});

test('loses and duplicates nothing when killed while sending', async () => {
  const server = await FakeServer.start();
  try {
    const last = await runAndKill(server.url, 3_000);
    const heir = open(server.url);
    heir.session('s').turn({ usage: { inputTokens: 2 } });
    expect(await heir.flush(PATIENCE_MS)).toMatchObject({ delivered: true });
    await heir.close();
    expect(server.stored.size).toBe(1);
    const seqs = server.items.map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, i) => i + 1));
    expect(seqs.length).toBeGreaterThan(last);
    expect(server.items.at(-1)).toMatchObject({ usage: { input: 2 } });
  } finally {
    await server.stop();
  }
});
