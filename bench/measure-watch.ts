/**
 * Time from the line of a call in a transcript until the read API returns the call, beside the time for a call that a
 * program reports directly.
 */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { turnList } from '../core/api/responses';
import { sessionId } from '../core/identity/session-id';
import { Program } from '../e2e/support/program';
import type { BarographServer } from '../e2e/support/server';
import { createClient } from '../runner/src/index';
import { callLine, promptLine, SESSION_ID } from '../runner/src/transcripts/testing/write-transcript';
import { projectFolder } from '../scripts/lib/project-folder';
import type { BenchDatabase } from './lib/bench-database';
import { type Figure, quantile, timed } from './lib/figures';
import { withServer } from './lib/processes';

const PROJECT = 'harbour';

export async function measureWatch(database: BenchDatabase, calls: number): Promise<Figure[]> {
  return await withServer(database, 'all', async (server) => {
    const { watched, sent } = await runCalls(server, calls);
    const unit = 'ms';
    return [
      {
        name: 'A call followed by `watch`, in the read API, median',
        value: quantile(watched, 0.5),
        unit,
        most: 200,
      },
      { name: '… 95th percentile', value: quantile(watched, 0.95), unit, most: 400 },
      { name: 'A call reported by a program, in the read API, median', value: quantile(sent, 0.5), unit },
    ];
  });
}

async function runCalls(server: BarographServer, calls: number) {
  const { home, environment, connection } = server;
  const folder = join(home, '.claude', 'projects', '-home-dev-harbour');
  mkdirSync(folder, { recursive: true });
  const transcript = join(folder, `${SESSION_ID}.jsonl`);
  writeFileSync(transcript, '');
  const cli = join(projectFolder, 'runner', 'dist', 'cli.js');
  const watch = new Program(process.execPath, [cli, 'watch'], { home, environment });
  const client = createClient({
    url: server.url,
    token: connection.ingestToken,
    project: PROJECT,
    runner: { name: 'direct' },
    queueFolder: join(home, 'direct'),
  });
  const [watched, sent]: [number[], number[]] = [[], []];
  try {
    // `watch` skips lines from before its start.
    await watch.waitFor('Watching');
    const now = () => new Date().toISOString();
    appendFileSync(transcript, promptLine('Begin', now()));
    const direct = client.session('direct');
    for (let n = 0; n <= calls; n += 1) {
      const output = 100 + n;
      appendFileSync(transcript, callLine(`msg_${n}`, output, now()));
      const watchedMs = await timed(() =>
        untilRead(server, sessionId('', SESSION_ID, 'claude-code'), output),
      );
      direct.turn({ call: `${n}`, usage: { input: 1, output }, contextTokens: 1 });
      const sentMs = await timed(() => untilRead(server, sessionId(PROJECT, 'direct'), output));
      // The first call also creates the session.
      if (n > 0) {
        watched.push(watchedMs);
        sent.push(sentMs);
      }
      // The pauses differ, so that calls are written at different times within the watcher's poll interval.
      await rest((n * 37) % 150);
    }
  } finally {
    await client.close(0);
    await watch.stop();
  }
  return { watched, sent };
}

/** Wait until the newest turn that the read API has of a session has this number of output tokens. */
async function untilRead({ url, connection }: BarographServer, id: string, output: number): Promise<void> {
  const headers = { authorization: `Bearer ${connection.readToken}` };
  for (;;) {
    const response = await fetch(`${url}/api/v1/sessions/${id}/turns?order=desc&limit=1`, { headers });
    const newest = turnList.safeParse(await response.json()).data?.turns[0];
    if (newest?.usage?.output === output) return;
    await rest(5);
  }
}
