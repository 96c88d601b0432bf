import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { build } from 'esbuild';
import {
  CONNECTION_FILE,
  type ConnectionFile,
  parseConnectionFile,
} from '../../core/settings/connection-file';
import { projectFolder } from '../../scripts/lib/project-folder';
import type { Played, PlayRequest } from './play-process';
import type { BenchDatabase } from './start-bench-database';

const START_TIMEOUT_MS = 60_000;

interface BenchServer extends ConnectionFile {
  pid: number | undefined;
  /** ws:// address of the ingest. */
  ingestUrl: string;
}

interface ServerOptions {
  /** `ingest`: without pages, from the current sources; else as `npm start` runs it. */
  role?: 'ingest';
  /** A session of its own (setsid), with its own share of the processor. */
  ownSession?: boolean;
}

/** Runs a server on an existing database and a free port until `work` ends. */
export async function withServer<T>(
  database: BenchDatabase,
  { role, ownSession = false }: ServerOptions,
  work: (server: BenchServer) => Promise<T>,
): Promise<T> {
  const file = role === 'ingest' ? await bundle('server/main.ts') : buildServer();
  const dataFolder = mkdtempSync(join(tmpdir(), 'barograph-bench-data-'));
  const variables = {
    BAROGRAPH_ROLE: role ?? 'all',
    BAROGRAPH_PORT: '0',
    BAROGRAPH_DATA_DIR: dataFolder,
    BAROGRAPH_LOG_LEVEL: 'warn',
    DATABASE_URL: database.url,
  };
  const server = spawnNode(file, variables, ownSession);
  try {
    const connection = await waitForServer(server, dataFolder);
    const ingestUrl = `${connection.url.replace(/^http/, 'ws')}/v1/ingest`;
    return await work({ ...connection, pid: server.pid, ingestUrl });
  } finally {
    const ended = once(server, 'exit');
    if (server.exitCode === null && server.kill()) await ended;
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

/** The process of `lib/play-process.ts`. */
export async function startPlayers(ownSession = false): Promise<ChildProcess> {
  return spawnNode(await bundle('bench/lib/play-process.ts'), {}, ownSession);
}

/** One file of a process's sources, as production runs them, in `dist/bench`. */
async function bundle(entry: string): Promise<string> {
  const outfile = join(projectFolder, 'dist', 'bench', entry.replaceAll('/', '-').replace(/\.ts$/, '.mjs'));
  await build({
    absWorkingDir: projectFolder,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    sourcemap: 'linked',
    logLevel: 'warning',
  });
  return outfile;
}

function buildServer(): string {
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', 'scripts/build.ts', '--if-needed'], {
    cwd: projectFolder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('the server could not be built');
  return join(projectFolder, 'dist', 'server', 'main.mjs');
}

/** Its errors go to our stderr, IPC is open. It does not outlive this process, however that one ends. */
function spawnNode(file: string, variables: Record<string, string>, ownSession: boolean): ChildProcess {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [file], {
    cwd: projectFolder,
    env: { NODE_ENV: 'production', PATH, HOME: tmpdir(), ...variables },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: ownSession,
  });
  const end = () => child.kill();
  process.once('exit', end);
  child.once('exit', () => process.removeListener('exit', end));
  return child;
}

async function waitForServer(server: ChildProcess, dataFolder: string): Promise<ConnectionFile> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  const path = join(dataFolder, CONNECTION_FILE);
  while (Date.now() < deadline) {
    if (server.exitCode !== null) throw new Error('the server ended early');
    if (existsSync(path)) {
      const connection = parseConnectionFile(JSON.parse(readFileSync(path, 'utf8')));
      const answer = await fetch(`${connection.url}/healthz`).catch(() => null);
      if (answer?.ok) return connection;
    }
    await pause(50);
  }
  throw new Error('the server did not start');
}

/** The answer of the process of `lib/play-process.ts`. @throws Error if it ends first. */
export async function ask(players: ChildProcess, request: PlayRequest): Promise<Played> {
  const over = new AbortController();
  const { signal } = over;
  const failed = once(players, 'exit', { signal }).then(() => {
    throw new Error('the process that plays runners ended early');
  });
  players.send(request);
  try {
    const [played] = await Promise.race([once(players, 'message', { signal }), failed]);
    return played as Played;
  } finally {
    failed.catch(() => undefined);
    over.abort();
  }
}
