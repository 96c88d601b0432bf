import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  CONNECTION_FILE,
  type ConnectionFile,
  parseConnectionFile,
} from '../../core/settings/connection-file';
import { projectFolder } from './project-folder';

export interface OwnServer extends ConnectionFile {
  dataFolder: string;
}

const START_TIMEOUT_MS = 300_000;

/**
 * Runs a server of its own on a free port until `work` ends, with its own database in a folder below the system's
 * temporary one, which goes with it. Builds first where sources are newer than the build.
 */
export async function withOwnServer<T>(work: (server: OwnServer) => Promise<T>): Promise<T> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'barograph-own-'));
  const server = spawn('npm', ['start'], {
    cwd: projectFolder,
    env: { ...ownEnvironment(dataFolder), BAROGRAPH_PORT: '0', BAROGRAPH_LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
    // A group of its own, so that npm and what it starts end together.
    detached: true,
  });
  try {
    return await work({
      ...(await waitForConnection(join(dataFolder, CONNECTION_FILE), server)),
      dataFolder,
    });
  } finally {
    if (server.exitCode === null && server.pid !== undefined) {
      const ended = once(server, 'exit');
      process.kill(-server.pid, 'SIGTERM');
      await ended;
    }
    await rm(dataFolder, { recursive: true, force: true });
  }
}

/** A token of scope `admin`, as the operator of that server makes one. */
export function makeAdminToken(dataFolder: string): string {
  const args = ['scripts/manage-tokens.ts', '--name', 'own-server', '--scope', 'admin'];
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', ...args], {
    cwd: projectFolder,
    encoding: 'utf8',
    env: ownEnvironment(dataFolder),
  });
  if (status !== 0 || stdout.trim() === '') throw new Error(`No token was made: ${stdout}${stderr}`);
  return stdout.trim();
}

/** What a program needs of the environment, without the settings of a Barograph that may run here. */
function ownEnvironment(dataFolder: string): NodeJS.ProcessEnv {
  const own = { ...process.env };
  for (const name of Object.keys(own)) if (/^(BAROGRAPH_|DATABASE_URL$)/.test(name)) delete own[name];
  return { ...own, BAROGRAPH_DATA_DIR: dataFolder };
}

async function waitForConnection(path: string, server: ChildProcess): Promise<ConnectionFile> {
  const until = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < until) {
    if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`);
    const text = await readFile(path, 'utf8').catch(() => null);
    const connection = text === null ? null : parseConnectionFile(JSON.parse(text));
    if (connection && (await fetch(`${connection.url}/healthz`).catch(() => null))?.ok) return connection;
    await pause(100);
  }
  throw new Error('the server did not start in time');
}
