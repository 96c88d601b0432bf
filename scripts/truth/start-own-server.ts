import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CONNECTION_FILE, type ConnectionFile, connectionFile } from '../../core/settings/connection-file';

export interface OwnServer {
  url: string;
  token: string;
  readToken: string;
  /** Its data folder. */
  folder: string;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 300_000;
const project = fileURLToPath(new URL('../..', import.meta.url));

/**
 * A server of its own on a free port, with its own database in a folder below the system's temporary one,
 * which goes with it. Builds first where sources are newer than the build.
 */
export async function startOwnServer(): Promise<OwnServer> {
  const folder = await mkdtemp(join(tmpdir(), 'barograph-truth-'));
  const server = spawn('npm', ['start'], {
    cwd: project,
    env: { ...surroundings(), BAROGRAPH_DATA_DIR: folder, BAROGRAPH_PORT: '0', BAROGRAPH_LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
    // A group of its own, so that npm and what it starts end together.
    detached: true,
  });
  try {
    const connection = await waitForConnection(join(folder, CONNECTION_FILE), server);
    return {
      url: connection.url,
      token: connection.ingestToken,
      readToken: connection.readToken,
      folder,
      stop: () => stop(server, folder),
    };
  } catch (error) {
    await stop(server, folder);
    throw error;
  }
}

async function waitForConnection(path: string, server: ChildProcess) {
  const until = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < until) {
    if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`);
    const text = await readFile(path, 'utf8').catch(() => null);
    const parsed = connectionFile.safeParse(text === null ? null : JSON.parse(text));
    if (parsed.success && (await isHealthy(parsed.data.url))) return parsed.data;
    await pause(100);
  }
  throw new Error('the server did not start in time');
}

/** What the server with that data folder wrote down for commands beside it. */
export function connectionOf(folder: string): ConnectionFile {
  return connectionFile.parse(JSON.parse(readFileSync(join(folder, CONNECTION_FILE), 'utf8')));
}

async function isHealthy(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    (response) => response.ok,
    () => false,
  );
}

async function stop(server: ChildProcess, folder: string): Promise<void> {
  if (server.exitCode === null && server.pid !== undefined) {
    const ended = once(server, 'exit');
    process.kill(-server.pid, 'SIGTERM');
    await ended;
  }
  await rm(folder, { recursive: true, force: true });
}

/** What a program needs of the environment, without the settings of a Barograph that may run here. */
function surroundings(): NodeJS.ProcessEnv {
  const own = { ...process.env };
  for (const name of Object.keys(own)) if (/^(BAROGRAPH_|DATABASE_URL$)/.test(name)) delete own[name];
  return own;
}
