import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import type { MeasuredContext, MeasuredSession } from '../../core/agents/testing/measure-sessions';
import { highest, sumChain } from '../../core/agents/testing/measure-sessions';
import { contextList, eventList, sessionList } from '../../core/api/responses';
import type { Context, Session } from '../../core/api/session';
import { createOutput } from '../../runner/src/cli/output';
import { runCommandLine } from '../../runner/src/cli/run-command-line';
import type { TranscriptSession } from '../../runner/src/transcripts/collect-sources';
import { startOwnServer } from './start-own-server';

export interface GivenServer {
  url: string | undefined;
  token: string | undefined;
  readToken: string | undefined;
}

interface ReachedServer {
  url: string;
  token: string;
  readToken: string;
}

const MAIN = 'main';

/** Imports the folder by the command itself, and reads every session back through the API. */
export async function measureByApi(
  folder: string,
  sessions: readonly TranscriptSession[],
  given: GivenServer,
): Promise<Map<string, MeasuredSession>> {
  const own = isComplete(given) ? null : await startOwnServer();
  const queueFolder = await mkdtemp(join(tmpdir(), 'barograph-truth-queue-'));
  try {
    const server = isComplete(given) ? given : own;
    if (server === null) throw new Error('no server');
    await importFolder(folder, server, queueFolder);
    const measured = new Map<string, MeasuredSession>();
    for (const { session, sources } of sessions) {
      const found = await findSession(server, session, sources[0]?.identity.clientSessionId ?? null);
      if (found !== null) measured.set(session, await measureSession(server, found));
    }
    return measured;
  } finally {
    await own?.stop();
    await rm(queueFolder, { recursive: true, force: true });
  }
}

async function importFolder(folder: string, server: ReachedServer, queueFolder: string): Promise<void> {
  const { url, token } = server;
  const args = ['import', folder, '--url', url, '--token', token, '--queue-dir', queueFolder];
  const out = createOutput(process.stdout, process.stderr);
  const code = await runCommandLine(args, { out, signal: new AbortController().signal, now: Date.now });
  if (code !== 0) throw new Error(`barograph import ended with ${code}`);
}

/** By the client's id; a session that shares its id with another file is found by its key. */
async function findSession(server: ReachedServer, key: string, clientSessionId: string | null) {
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

async function measureSession(server: ReachedServer, session: Session): Promise<MeasuredSession> {
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

  const chains = groupByChain(contexts);
  const main = chains.get(MAIN) ?? [];
  chains.delete(MAIN);
  return {
    main: pick(session.totals.main),
    side: pick(session.totals.side),
    peak: highest(main),
    last: session.used,
    contexts: main,
    compactions,
    chains: Object.fromEntries([...chains].map(([chain, list]) => [chain, sumChain(list)])),
  };
}

function groupByChain(contexts: readonly Context[]): Map<string, MeasuredContext[]> {
  const chains = new Map<string, MeasuredContext[]>();
  for (const context of contexts) {
    const list = chains.get(context.chain) ?? [];
    list.push({ ...pick(context.totals), peak: context.peakOccupancy, last: context.lastOccupancy });
    chains.set(context.chain, list);
  }
  return chains;
}

function pick({ calls, input, output, cacheRead, cacheCreation }: Session['totals']['main']) {
  return { calls, input, output, cacheRead, cacheCreation };
}

async function get<T extends z.ZodType>(server: ReachedServer, path: string, shape: T): Promise<z.infer<T>> {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${server.readToken}` },
  });
  if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
  return shape.parse(await response.json());
}

function isComplete(given: GivenServer): given is ReachedServer {
  return given.url !== undefined && given.token !== undefined && given.readToken !== undefined;
}
