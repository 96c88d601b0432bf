import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTimeOf } from '../queue/queue-lock';
import { ClientProcesses } from './client-processes';

let home: string;
let processes: ClientProcesses;
let running: ChildProcess[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'barograph-processes-'));
  mkdirSync(join(home, 'sessions'));
  processes = new ClientProcesses();
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map(kill));
  rmSync(home, { recursive: true });
});

const takeKilled = () => processes.takeKilled(join(home, 'projects'));

/** A process that the client lists for a session. */
async function start(sessionId: string, changes: { procStart?: string } = {}) {
  const child = spawn('sleep', ['60']);
  running.push(child);
  await once(child, 'spawn');
  const { pid = 0 } = child;
  const file = join(home, 'sessions', `${pid}.json`);
  writeFileSync(file, JSON.stringify({ pid, sessionId, procStart: startTimeOf(pid), ...changes }));
  return { child, file };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.signalCode === null && child.kill('SIGKILL')) await once(child, 'close');
}

describe('a session of a listed process', () => {
  it('is killed once, when the file outlives the process', async () => {
    const { child } = await start('a');
    await start('b');
    expect(takeKilled()).toEqual([]);
    await kill(child);
    expect([takeKilled(), takeKilled()]).toEqual([['a'], []]);
  });

  it('is not killed if the client removed the file, or if another process has the session', async () => {
    const [ended, shared] = [await start('a'), await start('b')];
    await start('b');
    expect(takeKilled()).toEqual([]);
    rmSync(ended.file);
    await kill(ended.child);
    await kill(shared.child);
    expect(takeKilled()).toEqual([]);
  });

  it('is not confused with the same process id in another folder of the client', async () => {
    const { child, file } = await start('a');
    const other = join(home, 'other', 'sessions');
    mkdirSync(other, { recursive: true });
    const takeOther = () => processes.takeKilled(join(home, 'other', 'projects'));
    expect(takeKilled()).toEqual([]);
    await kill(child);
    writeFileSync(join(other, `${child.pid}.json`), readFileSync(file));
    expect([takeOther(), takeKilled()]).toEqual([[], ['a']]);
  });

  it('is not known to be killed if its process was never seen alive', async () => {
    const [early, reused] = [await start('a'), await start('b', { procStart: '1' })];
    await kill(early.child);
    if (process.platform === 'linux') expect(takeKilled()).toEqual([]);
    await kill(reused.child);
    expect(takeKilled()).toEqual([]);
  });
});

it('finds no process in other files, or without the folder', () => {
  writeFileSync(join(home, 'sessions', '7.json'), '{"pid":"7"}');
  writeFileSync(join(home, 'sessions', '8.key'), 'no JSON');
  expect(takeKilled()).toEqual([]);
  rmSync(join(home, 'sessions'), { recursive: true });
  expect(takeKilled()).toEqual([]);
});
