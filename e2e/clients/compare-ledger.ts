/** Compares the stored sessions with the ledger of a model server, call by call. */
import type { Session } from '@/core/api/session';
import type { ReadApi } from '../support/read-api';
import type { LedgerCall, Usage } from './model-server';

/** What a scenario expects of a session, besides its calls and its end. */
export interface ExpectedSession {
  /** The client's session id. */
  id: string;
  /** Reasons of its starts and ends, in order. */
  course: string[];
  /** Triggers of its compactions, in order. */
  compactions?: ('auto' | 'manual')[];
  /** Whether another hook blocked a compaction. */
  blocked?: boolean;
  /** The client's ids of the session's parent and predecessor. */
  forkedFrom?: string;
  previous?: string;
  /** Whether the status line states the window. */
  hasWindow?: true;
  /** Facts that the client does not report. */
  lacks?: readonly ('telemetry' | 'end' | 'calls of compactions' | 'archives')[];
}

const UNCOUNTED = new Set(['inherited', 'superseded']);
const FIELDS = ['input', 'output', 'cacheRead', 'cacheCreation'] as const;

/** @returns a sentence for each difference */
export async function compareWithLedger(
  api: ReadApi,
  ledger: readonly LedgerCall[],
  expected: readonly ExpectedSession[],
): Promise<string[]> {
  const stored = await api.sessions();
  const named = (id?: string) =>
    stored.filter(({ clientSessionIds }) => id !== undefined && clientSessionIds.includes(id));
  const differences: string[] = [];
  for (const wanted of expected) {
    const sessions = named(wanted.id);
    const found: string[] = [];
    const names = sessions.map(({ project, key }) => `${project}/${key}`);
    if (names.length !== 1) found.push(`stored as ${names.length} sessions ${names.join(', ')}`);
    for (const session of sessions) {
      const { lacks = [] } = wanted;
      const calls = ledger.filter(
        ({ session: id, isCompaction }) =>
          id === wanted.id && !(isCompaction && lacks.includes('calls of compactions')),
      );
      const { forkedFromId, previousId, endedAt, limitSource } = session;
      const links = `forked from ${forkedFromId}, after ${previousId}`;
      const wantedLinks = `forked from ${named(wanted.forkedFrom)[0]?.id ?? null}, after ${named(wanted.previous)[0]?.id ?? null}`;
      if (links !== wantedLinks) found.push(`${links}, not ${wantedLinks}`);
      if (session.sources.includes('otlp') === lacks.includes('telemetry')) found.push('no telemetry');
      if ((endedAt === null) !== lacks.includes('end')) found.push(`ended: ${endedAt}`);
      if (wanted.hasWindow === true && limitSource !== 'status_line')
        found.push(`the limit's source is ${limitSource}`);
      found.push(
        ...(await compareCalls(api, session, calls)),
        ...(await compareEvents(api, session, wanted)),
      );
    }
    differences.push(...found.map((difference) => `session ${wanted.id.slice(0, 8)}: ${difference}`));
  }
  return differences;
}

/**
 * What no scenario expects: sessions that no client had, archives that failed, and a compaction's archives with equal
 * bytes.
 * @returns a sentence for each
 */
export async function findSurplus(api: ReadApi, expected: readonly ExpectedSession[]): Promise<string[]> {
  const ids = new Set(expected.map(({ id }) => id));
  const ghosts = (await api.sessions()).filter(
    ({ clientSessionIds }) => !clientSessionIds.some((id) => ids.has(id)),
  );
  const archives = await api.transcripts();
  const failed = archives.filter(({ state }) => state === 'failed');
  const seen = new Set<string>();
  const repeated = archives.filter(({ sessionId, eventId, agent = null, version, sha256, state }) => {
    const copy = JSON.stringify([sessionId, eventId, agent, version, sha256]);
    const isRepeated = state === 'stored' && seen.has(copy);
    seen.add(copy);
    return isRepeated;
  });
  return [
    ...ghosts.map(({ project, key, sources }) => `no client had ${project}/${key}, reported by ${sources}`),
    ...failed.map(
      ({ project, sessionKey, reason }) => `archive of ${project}/${sessionKey} failed: ${reason}`,
    ),
    ...repeated.map(
      ({ project, sessionKey, version }) => `archive of ${project}/${sessionKey} (${version}) stored twice`,
    ),
  ];
}

/** Calls are matched by usage, which differs between all calls, because the server stores only hashes of call ids. */
async function compareCalls(api: ReadApi, session: Session, calls: readonly LedgerCall[]): Promise<string[]> {
  const differences: string[] = [];
  const rows = await api.turns(session.id);
  const stored = rows.flatMap(({ usage, flags }) =>
    usage === null || flags.some((flag) => UNCOUNTED.has(flag)) ? [] : [usage],
  );
  const agentCalls = calls.filter(({ isCompaction }) => !isCompaction);
  for (const { id, usage } of agentCalls) {
    const count = stored.filter((each) => textOf(each) === textOf(usage)).length;
    if (count !== 1) differences.push(`${id} (${textOf(usage)}) is counted ${count} times`);
  }
  // The client's cumulative figures contain the sum of the compactions' calls, but not each of them.
  const known = new Set(agentCalls.map(({ usage }) => textOf(usage)));
  const others = sumOf(stored.filter((usage) => !known.has(textOf(usage))));
  const compactions = sumOf(calls.flatMap(({ isCompaction, usage }) => (isCompaction ? [usage] : [])));
  if (others !== compactions) differences.push(`other calls ${others}, calls of compactions ${compactions}`);
  const total = sumOf(calls.map(({ usage }) => usage));
  const { all } = session.totals;
  if (textOf(all) !== total) differences.push(`total ${textOf(all)}, not ${total}`);
  return differences;
}

async function compareEvents(api: ReadApi, session: Session, expected: ExpectedSession): Promise<string[]> {
  const events = await api.events(session.id);
  const stored = events.flatMap(({ kind, detail }) =>
    kind === 'compaction'
      ? [`${detail.trigger} ${detail.state} ${detail.archive?.state ?? 'unarchived'}`]
      : [],
  );
  const archive = expected.lacks?.includes('archives') ? 'unarchived' : 'stored';
  const wanted = (expected.compactions ?? []).map((trigger) => `${trigger} confirmed ${archive}`);
  if (expected.blocked === true) wanted.push('manual blocked stored');
  const differences: string[] = [];
  const course = events.flatMap(({ kind, detail }) =>
    kind === 'session_started' || kind === 'session_ended' ? [detail.reason ?? 'no reason'] : [],
  );
  if (course.join() !== expected.course.join())
    differences.push(`course [${course}], not [${expected.course}]`);
  if (stored.join() !== wanted.join()) differences.push(`compactions [${stored}], not [${wanted}]`);
  if (session.compacting !== null) differences.push('shown as compacting');
  return differences;
}

/** Input, output, cache read and cache creation. */
function textOf(usage: Usage): string {
  return FIELDS.map((field) => usage[field]).join('/');
}

function sumOf(usages: readonly Usage[]): string {
  return FIELDS.map((field) => usages.reduce((sum, usage) => sum + usage[field], 0)).join('/');
}
