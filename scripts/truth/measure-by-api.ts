import { join } from 'node:path';
import type { Totals } from '../../core/accounting/types';
import {
  highest,
  type MeasuredContext,
  type MeasuredSession,
  sumChain,
} from '../../core/agents/testing/measure-sessions';
import type { Session } from '../../core/api/session';
import { type ReadApi, readApi } from '../../e2e/support/read-api';
import { BarographServer } from '../../e2e/support/server';
import { createOutput } from '../../runner/src/cli/output';
import { runCommandLine } from '../../runner/src/cli/run-command-line';

/** One counted call of the main chain. */
interface MeasuredCall extends Totals {
  at: string;
  model: string | null;
  context: number;
  contextTokens: number | null;
  /** Absent in the known numbers of clients that do not state the window. */
  limit?: number | null;
}

export interface MeasuredByApi extends MeasuredSession {
  facts: { clientSessionIds: string; clientVersion: string | null; startedAt: string };
  calls: MeasuredCall[];
}

/** The numbers of a session for which the truth has a value. */
export type Expected = Partial<MeasuredByApi>;

/**
 * Import the folder with `barograph import`, and read every session back through the API. The result is keyed by
 * session key.
 */
export async function measureByApi(folder: string): Promise<Map<string, MeasuredByApi>> {
  const server = await BarographServer.start('truth');
  try {
    await importFolder(folder, server);
    const api = readApi(server);
    const measured = new Map<string, MeasuredByApi>();
    for (const session of await api.sessions()) measured.set(session.key, await measureSession(api, session));
    return measured;
  } finally {
    await server.remove();
  }
}

async function importFolder(folder: string, { url, connection, dataFolder }: BarographServer): Promise<void> {
  const queue = ['--queue-dir', join(dataFolder, 'import-queue')];
  const args = ['import', folder, '--url', url, '--token', connection.ingestToken, ...queue];
  const out = createOutput(process.stdout, process.stderr);
  const code = await runCommandLine(args, { out, signal: new AbortController().signal, now: Date.now });
  if (code !== 0) throw new Error(`barograph import ended with ${code}`);
}

async function measureSession(api: ReadApi, session: Session): Promise<MeasuredByApi> {
  const chains: Record<string, MeasuredContext[]> = {};
  for (const { chain, totals, peakOccupancy: peak, lastOccupancy: last } of await api.contexts(session.id)) {
    chains[chain] ??= [];
    chains[chain].push({ ...pick(totals), peak, last });
  }
  const { main = [], ...others } = chains;
  const events = await api.events(session.id);
  const turns = await api.turns(session.id);
  const { clientSessionIds, clientVersion, startedAt } = session;
  return {
    facts: { clientSessionIds: clientSessionIds.join(), clientVersion, startedAt },
    calls: turns.flatMap(({ chain, usage, flags, at, model, context, contextTokens, limit }) => {
      if (chain !== 'main' || usage === null || flags.includes('inherited')) return [];
      return [{ calls: 1, ...usage, at, model, context, contextTokens, limit }];
    }),
    main: pick(session.totals.main),
    side: pick(session.totals.side),
    peak: highest(main),
    last: session.used,
    contexts: main,
    compactions: events.flatMap((event) => {
      if (event.kind !== 'compaction' || event.chain !== 'main') return [];
      const { trigger, preTokens = null, postTokens = null } = event.detail;
      return [{ trigger, preTokens, postTokens }];
    }),
    chains: Object.fromEntries(Object.entries(others).map(([chain, list]) => [chain, sumChain(list)])),
  };
}

function pick({ calls, input, output, cacheRead, cacheCreation }: Session['totals']['main']) {
  return { calls, input, output, cacheRead, cacheCreation };
}
