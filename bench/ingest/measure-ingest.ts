/**
 * Acknowledged turns per second from 100 WebSocket connections, compared with `COPY` of the same rows into the same table.
 * Both alternate within one run, so that the machine cancels out.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleProcess, spawnBundle } from '../lib/bundle-process';
import type { BenchDatabase } from '../lib/start-bench-database';
import { waitForServer } from '../lib/wait-for-server';
import type { LoadResult, LoadTask } from './load-messages';
import { measureCopy } from './measure-copy';

export interface IngestOptions {
  connections: number;
  turnsPerConnection: number;
  rounds: number;
  port: number;
}

export interface IngestRound {
  turns: number;
  ingestPerSecond: number;
  copyPerSecond: number;
}

export async function measureIngest(database: BenchDatabase, options: IngestOptions): Promise<IngestRound[]> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'barograph-bench-data-'));
  const env = { PATH: process.env.PATH ?? '', HOME: dataFolder };
  const [serverFile, loadFile] = await Promise.all([
    bundleProcess('server/main.ts'),
    bundleProcess('bench/ingest/load-process.ts'),
  ]);
  const server = spawnBundle(serverFile, {
    ...env,
    BAROGRAPH_ROLE: 'ingest',
    BAROGRAPH_PORT: String(options.port),
    BAROGRAPH_DATA_DIR: dataFolder,
    BAROGRAPH_LOG_LEVEL: 'warn',
    DATABASE_URL: database.url,
  });
  const load = spawnBundle(loadFile, env);
  try {
    const { url, ingestToken } = await waitForServer(server, dataFolder);
    const rounds: IngestRound[] = [];
    // The first round warms up both sides and does not count.
    for (let round = 0; round <= options.rounds; round += 1) {
      const task: LoadTask = {
        url: `${url.replace(/^http/, 'ws')}/v1/ingest`,
        token: ingestToken,
        project: 'bench',
        connections: options.connections,
        turnsPerConnection: options.turnsPerConnection,
        turnsPerFrame: 20,
        framesInFlight: 4,
        round,
      };
      const turns = task.connections * task.turnsPerConnection;
      const { elapsedMs, refused } = await runLoad(load, task);
      if (refused > 0) throw new Error(`${refused} items were refused`);
      const copied = await measureCopy(database.sql, `session-${round}-%`);
      if (copied.rows !== turns) throw new Error(`${copied.rows} of ${turns} turns are stored`);
      if (round === 0) continue;
      rounds.push({
        turns,
        ingestPerSecond: (turns / elapsedMs) * 1_000,
        copyPerSecond: (turns / copied.elapsedMs) * 1_000,
      });
    }
    return rounds;
  } finally {
    load.kill();
    server.kill('SIGTERM');
    if (server.exitCode === null) await once(server, 'exit');
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

async function runLoad(load: ChildProcess, task: LoadTask): Promise<LoadResult> {
  const answer = once(load, 'message');
  const failed = once(load, 'exit').then(() => {
    throw new Error('the load process ended early');
  });
  failed.catch(() => undefined);
  load.send(task);
  const [result] = (await Promise.race([answer, failed])) as [LoadResult];
  return result;
}
