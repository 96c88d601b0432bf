import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bundleScript } from '../../testing/bundle-script';
import { FakeServer } from './testing/fake-server';

const script = await bundleScript(new URL('testing/hand-over-and-return.ts', import.meta.url).pathname);
/** Ends when the process ends; a process that stays alive reaches the time limit of the test. */
async function untilExit(url: string): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'p4-exit-'));
  const child = spawn(process.execPath, [script, folder, url], {
    env: { NODE_ENV: 'test', PATH: process.env.PATH ?? '', HOME: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  rmSync(folder, { recursive: true, force: true });
  return output;
}

test('does not keep the process alive, connected or not', async () => {
  const mute = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const fake = await FakeServer.start();
  try {
    expect(await untilExit(`http://127.0.0.1:${(mute.address() as AddressInfo).port}`)).toBe('returned\n');
    expect(await untilExit(fake.url)).toBe('returned\n');
    expect(await untilExit('http://127.0.0.1:9')).toBe('returned\n');
  } finally {
    await fake.stop();
    mute.close();
  }
});
