import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionFile } from '../../core/settings/connection-file';
import { projectFolder } from '../../scripts/lib/project-folder';
import { spawnBundle } from './bundle-process';
import { waitForServer } from './wait-for-server';

/** Run the server as `npm start` does, on an existing database, until `work` ends. */
export async function withServer<T>(
  { databaseUrl, port }: { databaseUrl: string; port: number },
  work: (connection: ConnectionFile) => Promise<T>,
): Promise<T> {
  const built = spawnSync(process.execPath, ['--import', 'tsx', 'scripts/build.ts', '--if-needed'], {
    cwd: projectFolder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (built.status !== 0) throw new Error('the server could not be built');
  const dataFolder = mkdtempSync(join(tmpdir(), 'barograph-bench-data-'));
  const server = spawnBundle(join(projectFolder, 'dist', 'server', 'main.mjs'), {
    PATH: process.env.PATH ?? '',
    HOME: dataFolder,
    BAROGRAPH_PORT: String(port),
    BAROGRAPH_DATA_DIR: dataFolder,
    BAROGRAPH_LOG_LEVEL: 'warn',
    DATABASE_URL: databaseUrl,
  });
  try {
    return await work(await waitForServer(server, dataFolder));
  } finally {
    const ended = once(server, 'exit');
    if (server.exitCode === null && server.kill()) await ended;
    rmSync(dataFolder, { recursive: true, force: true });
  }
}
