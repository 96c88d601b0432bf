import { join } from 'node:path';
import type { z } from 'zod';
import type { MeasuredContext, MeasuredSession } from '../../core/agents/testing/measure-sessions';
import { highest, sumChain } from '../../core/agents/testing/measure-sessions';
import { contextList, eventList, sessionList } from '../../core/api/responses';
import type { Session } from '../../core/api/session';
import { createOutput } from '../../runner/src/cli/output';
import { runCommandLine } from '../../runner/src/cli/run-command-line';
import type { TranscriptSession } from '../../runner/src/transcripts/collect-sources';
import { type OwnServer, withOwnServer } from '../lib/own-server';

const MAIN = 'main';

/** Imports the folder by the command itself, and reads every session back through the API. */
export async function measureByApi(
  folder: string,
  sessions: readonly TranscriptSession[],
): Promise<Map<string, MeasuredSession>> {
  return await withOwnServer(async (server) => {
    await importFolder(folder, server);
    const measured = new Map<string, MeasuredSession>();
    for (const { session, sources } of sessions) {
      const found = await findSession(server, session, sources[0]?.identity.clientSessionId ?? null);
      if (found !== null) measured.set(session, await measureSession(server, found));
    }
    return measured;
  });
}

async function importFolder(folder: string, server: OwnServer): Promise<void> {
  const { url, ingestToken, dataFolder } = server;
  const queue = ['--queue-dir', join(dataFolder, 'import-queue')];
  const args = ['import', folder, '--url', url, '--token', ingestToken, ...queue];
  const out = createOutput(process.stdout, process.stderr);
  const code = await runCommandLine(args, { out, signal: new AbortController().signal, now: Date.now });
  if (code !== 0) throw new Error(`barograph import ended with ${code}`);
}

/** By the client's id; a session that shares its id with another file is found by its key. */
async function findSession(server: OwnServer, key: string, clientSessionId: string | null) {
  const searches = [
    { q: key.slice(key.indexOf('/') + 1) },
    ...(clientSessionId ? [{ clientSessionId }] : []),
  ];
  for (const search of searches.reverse()) {
    const { sessions } = await get(server, `/sessions?${new URLSearchParams({ ...search })}`, sessionList);
    const found = sessions.find((session) => session.key === key);
    if (found !== undefined) return found;
  }
  return null;
}

async function measureSession(server: OwnServer, session: Session): Promise<MeasuredSession> {
  const path = `/sessions/${session.id}`;
  const { contexts } = await get(server, `${path}/contexts`, contextList);
  const compactions: MeasuredSession['compactions'] = [];
  let cursor: string | null = null;
  do {
    const search: URLSearchParams = new URLSearchParams({ kind: 'compaction', chain: MAIN, order: 'asc' });
    if (cursor !== null) search.set('cursor', cursor);
    const page: z.infer<typeof eventList> = await get(server, `${path}/events?${search}`, eventList);
    for (const event of page.events) {
      if (event.kind !== 'compaction') continue;
      const { trigger, preTokens = null } = event.detail;
      compactions.push({ trigger, preTokens });
    }
    cursor = page.nextCursor;
  } while (cursor !== null);

  const chains: Record<string, MeasuredContext[]> = {};
  for (const { chain, totals, peakOccupancy: peak, lastOccupancy: last } of contexts) {
    chains[chain] ??= [];
    chains[chain].push({ ...pick(totals), peak, last });
  }
  const { [MAIN]: main = [], ...others } = chains;
  return {
    main: pick(session.totals.main),
    side: pick(session.totals.side),
    peak: highest(main),
    last: session.used,
    contexts: main,
    compactions,
    chains: Object.fromEntries(Object.entries(others).map(([chain, list]) => [chain, sumChain(list)])),
  };
}

function pick({ calls, input, output, cacheRead, cacheCreation }: Session['totals']['main']) {
  return { calls, input, output, cacheRead, cacheCreation };
}

async function get<T extends z.ZodType>(server: OwnServer, path: string, shape: T): Promise<z.infer<T>> {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${server.readToken}` },
  });
  if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
  return shape.parse(await response.json());
}
