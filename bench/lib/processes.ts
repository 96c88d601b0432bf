import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { BarographServer } from '../../e2e/support/server';
import { projectFolder } from '../../scripts/lib/project-folder';
import type { BenchDatabase } from './bench-database';
import type { Played, PlayRequest } from './play-process';

/** Run the built server on an existing database until `work` ends. */
export async function withServer<T>(
  database: BenchDatabase,
  role: 'ingest' | 'all',
  work: (server: BarographServer) => Promise<T>,
): Promise<T> {
  const more = { BAROGRAPH_ROLE: role, DATABASE_URL: database.url };
  const server = await BarographServer.start('bench', more);
  const kill = () => server.kill();
  process.once('exit', kill);
  try {
    return await work(server);
  } finally {
    process.removeListener('exit', kill);
    // A graceful stop at a low priority could take minutes.
    await kill();
    await server.remove();
  }
}

/** Start the process of `play-process.ts` in its own session, with its own share of the processor. */
export function startPlayers(): ChildProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', 'bench/lib/play-process.ts'], {
    cwd: projectFolder,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true,
  });
  process.once('exit', () => child.kill());
  return child;
}

/** Address and token with which runners report to a server. */
export function targetOf({ url, connection }: BarographServer) {
  return { url: `${url.replace(/^http/, 'ws')}/v1/ingest`, token: connection.ingestToken };
}

/** Send a request to the process of `play-process.ts`. @throws Error if the process ends before its answer */
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
