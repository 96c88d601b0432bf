/** Findings of `barograph doctor` about the server, the queue folder and the index of archives. Sends no data. */
import * as z from 'zod';
import { clientNamed } from '../../../core/agents/clients';
import type { ArchiveIndex } from '../archive/archive-index';
import { recoverIndex } from '../archive/list-archives';
import { clientRefusals, findAgents, WATCHED } from '../connect/agents';
import { messageOf } from '../guard';
import { httpAddress, proveServer } from '../proof/prove-server';
import type { QueueProblem, QueueReport } from '../queue/open-queue';
import type { RunnerSettings } from '../settings';
import { uploadPermission } from '../upload/upload-permission';
import { CREATE_TOKEN, noServer } from './connection';
import { formatAge, formatBytes, formatCount } from './output';
import { describeDamage } from './upload-archives';

export interface Finding {
  state: 'ok' | 'note' | 'wrong';
  topic: string;
  text: string;
  remedy?: string;
}

const find =
  (state: Finding['state']) =>
  (topic: string, text: string, remedy?: string): Finding => ({
    state,
    topic,
    text,
    ...(remedy && { remedy }),
  });
export const ok = find('ok');
export const note = find('note');
export const wrong = find('wrong');

const TIMEOUT_MS = 5_000;
/** With a larger difference, the server replaces the times of live items. */
const SKEW_BOUND_MS = 300_000;
const SKEW_NOTE_MS = 5_000;
/** Sessions that are searched for an agent's last turn. */
const NEWEST = 500;
const health = z.object({ status: z.string(), version: z.string() });
const leftOutRecords = z.object({
  project: z.string(),
  records: z.number(),
  reason: z.string(),
  at: z.iso.datetime(),
});
const aboutToken = z.object({
  token: z.object({ name: z.string(), scope: z.string() }),
  /** Absent: an older server. */
  leftOut: z.array(leftOutRecords).default([]),
});
const newestSessions = z.object({
  sessions: z.array(z.object({ client: z.string().nullable(), lastTurnAt: z.string().nullable() })),
});
const errorBody = z.object({ reason: z.string() });

export async function examineServer(settings: RunnerSettings, now: () => number): Promise<Finding[]> {
  const { url, origin, dataFolder } = settings;
  if (url === null) return [wrong('server', 'unknown', noServer(dataFolder))];
  const address = ok('address', `${url} (from ${origin.url})`);
  const began = now();
  let response: Response;
  try {
    response = await fetch(httpAddress(url, '/healthz'), { signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    const [, text, way] = CERTIFICATE_FAULTS.find(([codes]) => codes.test(codeOf(error))) ?? [
      null,
      `does not respond: ${describeFailure(error)}`,
      'Start it (`npm start` in its folder), or correct the address with BAROGRAPH_URL or --url.',
    ];
    return [address, wrong('server', text, way)];
  }
  const ended = now();
  const { data: body } = health.safeParse(await response.json().catch(() => null));
  if (body === undefined) {
    const text = `another program answers at this address (status ${response.status})`;
    return [address, wrong('server', text, 'Check the port in the address.')];
  }
  const name = `Barograph ${body.version}`;
  const server = response.ok
    ? ok('server', `${name}, answered in ${ended - began} ms`)
    : wrong('server', `${name} answers, but its database does not`, "Check the server's log.");
  const date = Date.parse(response.headers.get('date') ?? '');
  // The header has whole seconds, so the header is half a second behind on average.
  const clock = Number.isNaN(date) ? [] : [examineClock(date + 500 - (began + ended) / 2)];
  return [address, server, ...clock, ...(await examineToken(url, settings, ended))];
}

/** @param skewMs the server's time minus the time of this machine. */
function examineClock(skewMs: number): Finding {
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  if (Math.abs(skewMs) < SKEW_NOTE_MS) return ok('clock', 'agrees with the server');
  const text = `this machine is ${seconds} s ${skewMs > 0 ? 'behind' : 'ahead of'} the server`;
  if (Math.abs(skewMs) < SKEW_BOUND_MS) return note('clock', text);
  return wrong('clock', text, "Set the clock (NTP): beyond 5 minutes, live items get the server's time.");
}

/** The token, and what the server did not use of the telemetry in the token's projects. */
async function examineToken(
  url: string,
  { token, secret, origin }: RunnerSettings,
  now: number,
): Promise<Finding[]> {
  const remedy = `${CREATE_TOKEN}, then set BAROGRAPH_TOKEN.`;
  if (token === null) return [wrong('token', 'none', remedy)];
  // Show only the end of the token.
  const name = `${token.length <= 8 ? '…' : `…${token.slice(-4)}`} (from ${origin.token})`;
  try {
    const proof = secret === null ? null : await proveServer(url, secret, TIMEOUT_MS);
    if (proof?.type === 'away') return [note('token', `${name}: not checked, ${proof.reason}`)];
    if (proof?.type === 'unproven') {
      const way =
        'Start the server on this machine; for another server set BAROGRAPH_URL and BAROGRAPH_TOKEN.';
      return [wrong('token', `${name}: not sent: ${proof.reason}`, way)];
    }
    const response = await fetch(httpAddress(url, '/v1/ingest'), {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'error',
    });
    const body: unknown = await response.json().catch(() => null);
    const good = aboutToken.safeParse(body).data;
    if (response.ok && good) {
      const { token: own, leftOut } = good;
      const finding = ok('token', `${name}: "${own.name}", scope ${own.scope}`);
      return [finding, ...leftOut.map((records) => describeLeftOut(records, now))];
    }
    const reason = errorBody.safeParse(body).data?.reason ?? `status ${response.status}`;
    return [wrong('token', `${name}: refused: ${reason}`, remedy)];
  } catch (error) {
    return [note('token', `${name}: not checked, ${describeFailure(error)}`)];
  }
}

function describeLeftOut({ project, records, reason, at }: z.infer<typeof leftOutRecords>, now: number) {
  const count = `${formatCount(records, 'OTLP record')} with token counts not used`;
  const age = formatAge(now - Date.parse(at));
  const remedy = 'Set gen_ai.operation.name (for example to "chat") on the span of each single model call.';
  return note('telemetry', `${project}: ${count}: ${reason}; the last ${age} ago`, remedy);
}

/** Codes of Node's TLS, with the problem and its remedy. */
const CERTIFICATE_FAULTS: readonly (readonly [codes: RegExp, text: string, remedy: string])[] = [
  [
    /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)/,
    'this machine does not know the authority of its certificate',
    'Set NODE_EXTRA_CA_CERTS to the file with the certificate of the authority. `openssl s_client` shows its name.',
  ],
  [
    /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    'its certificate has expired or is not valid yet',
    "Renew the certificate, or set this machine's clock.",
  ],
  [
    /ALTNAME_INVALID/,
    'its certificate is for another name',
    'Set BAROGRAPH_URL to a name in the certificate.',
  ],
];

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as { code?: unknown } | undefined) : undefined;
  return String(cause?.code ?? '');
}

function describeFailure(error: unknown): string {
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  return isTimeout ? `no answer within ${TIMEOUT_MS / 1000} s` : messageOf(error);
}

/** Describe the queued items per server: one finding for running processes, one for all other queues, one per problem. */
export function describeQueues(
  reports: readonly QueueReport[],
  problems: readonly QueueProblem[],
  folder: string,
  now: number,
): Finding[] {
  const kinds = new Map<string, QueueReport[]>();
  for (const report of reports.filter(({ items }) => items > 0)) {
    const kind = `${report.inUse} ${report.url}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), report]);
  }
  if (kinds.size === 0 && problems.length === 0) return [ok('queue', `empty (${folder})`)];
  return [
    ...[...kinds.values()].map((queues) => describeKind(queues, now)),
    ...problems.map(({ isStuck, text, remedy }) => (isStuck ? wrong : note)('queue', text, remedy)),
  ];
}

function describeKind(queues: readonly QueueReport[], now: number): Finding {
  const sum = (pick: (queue: QueueReport) => number) =>
    queues.reduce((total, queue) => total + pick(queue), 0);
  const count = sum(({ items }) => items);
  const amount = `${formatCount(count, 'item')} (${formatBytes(sum(({ bytes }) => bytes))})`;
  const age = formatAge(now - Math.min(...queues.map(({ createdAt }) => createdAt)));
  const projects = [...new Set(queues.map(({ project }) => project))].join(', ');
  const text = `${amount} of ${projects} for ${queues[0]?.url}, up to ${age} old`;
  if (queues[0]?.inUse) return note('queue', `${text}; running processes send them`);
  const remedy = 'The next `barograph watch` or `import` for that server sends them.';
  return note('queue', text, remedy);
}

/** The agents on this machine, with their last turns if the server is on this machine too. */
export async function examineAgents(settings: RunnerSettings, now: number): Promise<Finding[]> {
  const found = findAgents().filter(({ isFound }) => isFound);
  const sessions = found.length > 0 ? await readNewest(settings) : null;
  return found.map((agent) => {
    const { label, name, file, isConnected } = agent;
    const [refused = null] = agent.problem === null ? clientRefusals(agent) : [`${file}: ${agent.problem}`];
    if (refused !== null) return wrong(label, refused, 'Correct the file to connect the agent.');
    const signal = describeSignal(sessions, name, now);
    if (file === null) return note(label, `${WATCHED}${signal}`);
    if (isConnected) return ok(label, `connected in ${file}${signal}`);
    return note(label, `not connected${signal}`, `Connect it: barograph connect ${name}`);
  });
}

type NewestSessions = z.infer<typeof newestSessions>['sessions'];

/** Sessions of any runner, because a program with the library may report an agent's session too. */
async function readNewest({ url, secret, readToken }: RunnerSettings): Promise<NewestSessions | null> {
  if (url === null || secret === null || readToken === null) return null;
  try {
    if ((await proveServer(url, secret, TIMEOUT_MS)).type !== 'proven') return null;
    const query = new URLSearchParams({ sort: 'lastTurn', limit: String(NEWEST) });
    const response = await fetch(httpAddress(url, `/api/v1/sessions?${query}`), {
      headers: { authorization: `Bearer ${readToken}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return newestSessions.parse(await response.json()).sessions;
  } catch {
    return null;
  }
}

function describeSignal(sessions: NewestSessions | null, agent: string, now: number): string {
  if (sessions === null) return '';
  const newest = sessions.find(({ client }) => clientNamed(client)?.name === agent);
  if (newest?.lastTurnAt) return `; last turn ${formatAge(now - Date.parse(newest.lastTurnAt))} ago`;
  return sessions.length < NEWEST ? '; no turn yet' : `; no turn in the newest ${NEWEST} sessions`;
}

export async function examineArchives(
  settings: RunnerSettings,
  findConfigFolder: () => string,
): Promise<Finding> {
  let index: ArchiveIndex;
  try {
    index = await recoverIndex(findConfigFolder());
  } catch (error) {
    return wrong('archives', messageOf(error), 'Until then, archives are neither listed nor uploaded.');
  }
  const stored = index.entries.filter(({ state }) => state === 'stored');
  const pending = stored.filter(({ upload }) => upload === 'pending');
  const waiting = pending.length > 0 ? `, ${pending.length} not uploaded yet` : '';
  const amount = `${formatCount(stored.length, 'archive')}${waiting}`;
  const damage = describeDamage(index);
  if (damage !== null) {
    const remedy = 'barograph archives verify checks the copies, and reports this for the last time.';
    return wrong('archives', `${amount}; the index is damaged: ${damage}`, remedy);
  }
  const permission = uploadPermission(settings);
  if (!permission.allowed) {
    const isChoice = settings.uploadArchives !== 'local' || !settings.content || settings.url === null;
    const remedy = 'To upload whole conversations to that server, set BAROGRAPH_UPLOAD_ARCHIVES=on.';
    const text = `${amount}; they stay on this machine: ${permission.reason}`;
    return note('archives', text, isChoice ? undefined : remedy);
  }
  const text = `${amount}; uploaded to ${permission.server.url}`;
  const reason = pending.find(({ uploadReason }) => uploadReason)?.uploadReason;
  return reason ? note('archives', `${text}; last failure: ${reason}`) : ok('archives', text);
}
