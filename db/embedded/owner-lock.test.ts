import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LockResult, readLockHolder, takeOwnerLock } from './owner-lock';
import { identify } from './processes';

let folder = '';
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'barograph-lock-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function release(result: LockResult): void {
  if (!result.taken) throw new Error('the lock was not taken');
  result.lock.release();
}

async function startAndEnd(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid ?? 0;
}

function writeLock(pid: number, started: string | null): void {
  writeFileSync(
    join(folder, 'server.lock'),
    JSON.stringify({
      pid,
      started,
      what: 'Barograph',
      url: 'http://127.0.0.1:1',
      since: '2026-01-01T00:00:00Z',
    }),
  );
}

describe('owner lock', () => {
  it('has one holder, and returns the holder and its address', () => {
    const first = takeOwnerLock(folder, 'Barograph', 'http://127.0.0.1:4680');
    const second = takeOwnerLock(folder, 'Barograph', 'http://127.0.0.1:4681');
    expect(second).toMatchObject({
      taken: false,
      holder: { pid: process.pid, url: 'http://127.0.0.1:4680' },
    });
    expect(readLockHolder(folder)?.pid).toBe(process.pid);
    release(first);
    expect(readLockHolder(folder)).toBeNull();
    release(takeOwnerLock(folder, 'Barograph', ''));
  });

  it('is readable by its owner only, and leaves no other file', () => {
    const result = takeOwnerLock(folder, 'Barograph', '');
    expect(statSync(join(folder, 'server.lock')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['server.lock']);
    release(result);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes over the lock of a dead process', async () => {
    writeLock(await startAndEnd(), null);
    release(takeOwnerLock(folder, 'Barograph', ''));
  });

  it.runIf(process.platform === 'linux')('takes over a lock after another process got its process id', () => {
    writeLock(process.pid, 'another-boot:1');
    release(takeOwnerLock(folder, 'Barograph', ''));
  });

  it('leaves the lock of a living process unchanged', () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)']);
    children.push(child);
    const { pid, started } = identify(child.pid ?? 0);
    writeLock(pid, started);
    const before = readFileSync(join(folder, 'server.lock'), 'utf8');
    expect(takeOwnerLock(folder, 'Barograph', '')).toMatchObject({ taken: false, holder: { pid } });
    expect(readFileSync(join(folder, 'server.lock'), 'utf8')).toBe(before);
  });

  it('takes over a truncated lock', () => {
    writeFileSync(join(folder, 'server.lock'), '{"pid":');
    release(takeOwnerLock(folder, 'Barograph', ''));
  });

  it('is not released by an earlier holder', () => {
    const first = takeOwnerLock(folder, 'Barograph', '');
    rmSync(join(folder, 'server.lock'));
    const second = takeOwnerLock(folder, 'Barograph', '');
    release(first);
    expect(readLockHolder(folder)?.pid).toBe(process.pid);
    release(second);
  });
});
