import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TranscriptItem } from '../../../core/agents/agent-format';
import { measureItems } from '../../../core/agents/testing/measure-sessions';
import { bundleScript } from '../../testing/bundle-script';
import { FakeServer } from '../client/testing/fake-server';
import { callLine, promptLine, SESSION_ID } from '../transcripts/testing/write-transcript';

const main = await bundleScript('runner/src/cli/main.ts');
let folder: string;
let file: string;
let server: FakeServer;
let changed: () => void;
let child: ChildProcess | null;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'barograph-kill-'));
  mkdirSync(join(folder, 'projects', '-home-dev-harbour'), { recursive: true });
  file = join(folder, 'projects', '-home-dev-harbour', `${SESSION_ID}.jsonl`);
  changed = () => undefined;
  child = null;
  server = await FakeServer.start({
    onFrame(items, socket, self) {
      self.store(items, socket);
      self.ack(items, socket);
      changed();
    },
  });
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await server.stop();
  rmSync(folder, { recursive: true });
});

function startWatch(): ChildProcess {
  const where = ['--url', server.url, '--token', 'bg_test', '--queue-dir', join(folder, 'queue')];
  const args = [main, 'watch', join(folder, 'projects'), '--from-start', ...where];
  child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  return child;
}

const stored = () =>
  server.items.filter(({ session }) => session === SESSION_ID) as unknown as TranscriptItem[];
const calls = () => new Set(stored().flatMap((item) => (item.type === 'turn' ? [item.call] : []))).size;
const until = (condition: () => boolean) =>
  new Promise<void>((done) => {
    changed = () => condition() && done();
    changed();
  });

it('loses and duplicates nothing when killed with -9 while lines are written', async () => {
  appendFileSync(file, promptLine('Work on'));
  const first = startWatch();
  for (let call = 1; call <= 40; call += 1) appendFileSync(file, callLine(`msg_${call}`, call));
  await until(() => calls() >= 10);
  const gone = once(first, 'exit');
  first.kill('SIGKILL');
  for (let call = 41; call <= 60; call += 1) appendFileSync(file, callLine(`msg_${call}`, call));
  await gone;
  const second = startWatch();
  for (let call = 61; call <= 80; call += 1) appendFileSync(file, callLine(`msg_${call}`, call));
  await until(() => calls() === 80);
  const ended = once(second, 'exit');
  second.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  const { main: totals } = measureItems(stored());
  expect(totals).toEqual({ calls: 80, input: 800, output: (80 * 81) / 2, cacheRead: 0, cacheCreation: 8000 });
});
