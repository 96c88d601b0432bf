import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, beforeEach } from 'vitest';
import { createTestDatabase, type TestDatabase } from '@/db/testing/test-database';
import { type BuiltCommand, type HookHome, prepareHook } from '@/runner/src/hook/testing/hook';
import { makeToken, type ServerProcess, startServerProcess, untilLine } from './start-server-process';

export interface Wire {
  command: BuiltCommand;
  home: HookHome;
  database: TestDatabase;
  server: ServerProcess;
  /** Address and token of the server, for the command. */
  env: Record<string, string>;
  /** Starts `barograph watch`. Resolves when it watches. */
  watch(...folders: string[]): Promise<ChildProcess>;
}

/** The built command for all tests of a file; a home, a database, a server and at most one watcher for each test. */
export function prepareWire(): Wire {
  let watcher: ChildProcess | undefined;
  // The hooks run in reverse: the watcher ends first, then the home, then the server.
  afterEach(async () => {
    await wire.server?.kill();
    await wire.database?.close();
  });
  const wire = prepareHook() as Wire;
  afterEach(() => void watcher?.kill('SIGKILL'));
  beforeEach(async () => {
    wire.database = await createTestDatabase();
    wire.server = await startServerProcess(wire.database.url);
    wire.env = { BAROGRAPH_URL: wire.server.url, BAROGRAPH_TOKEN: await makeToken(wire.database.sql) };
  });
  wire.watch = async (...folders) => {
    const started = spawn(process.execPath, [wire.command.cli, 'watch', ...folders], {
      env: { ...wire.home.env, ...wire.env } as unknown as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    watcher = started;
    await untilLine(started, 'Watching');
    return started;
  };
  return wire;
}

/** Waits until the condition is true. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}
