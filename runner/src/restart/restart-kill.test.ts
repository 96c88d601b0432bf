import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createClient } from '../client/create-client';
import { FakeServer } from '../client/testing/fake-server';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const script = fileURLToPath(new URL('testing/restart-until-killed.ts', import.meta.url));

test('loses no turn and reports no restart when killed between the last turn and the checkpoint', async () => {
  const queueFolder = mkdtempSync(join(tmpdir(), 'restart-kill-'));
  const server = await FakeServer.start();
  try {
    const child = spawn(process.execPath, ['--import', 'tsx', script, queueFolder, server.url], {
      cwd: root,
      env: { NODE_ENV: 'test', PATH: process.env.PATH ?? '', HOME: queueFolder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    for await (const chunk of child.stdout) if (String(chunk).includes('asked')) child.kill('SIGKILL');
    expect(await exited).toEqual([null, 'SIGKILL']);

    const heir = createClient({
      url: server.url,
      token: null,
      project: 'p',
      runner: { name: 'r' },
      queueFolder,
    });
    heir.session('s').turn({ usage: { input: 7 } });
    expect(await heir.flush()).toMatchObject({ delivered: true });
    await heir.close();
    expect(server.items.map(({ type }) => type)).toEqual([
      'session_start',
      'session_alias',
      'session_start',
      'turn',
      'turn',
      'turn',
    ]);
    expect(server.items.filter(({ type }) => type === 'turn')).toMatchObject([
      { usage: { input: 100_000, output: 20_000 } },
      { usage: { input: 50_000, output: 20_000 } },
      { usage: { input: 7 } },
    ]);
  } finally {
    await server.stop();
    rmSync(queueFolder, { recursive: true, force: true });
  }
}, 60_000);
