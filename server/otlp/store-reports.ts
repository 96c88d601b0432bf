/**
 * Stores reports through the same pump as a runner's items. OTLP records have no numbers, and an exporter may send
 * one twice. So each hour of a session is a stream, and the seq of an item follows from its time and content. A repeated
 * record gets the same seq in every process of the server. These seqs are sparse, so the database stores one range for
 * each seq. A new stream for each hour limits the number of ranges.
 */
import { createHash } from 'node:crypto';
import type postgres from 'postgres';
import { v5 } from 'uuid';
import { cleanText } from '../../core/agents/fields';
import { type Actor, projectsOf } from '../../core/identity/actor';
import { sessionId } from '../../core/identity/session-id';
import { cleanName } from '../../core/protocol/clean-name';
import { groupBy } from '../../db/group-by';
import { openStream } from '../../db/ingest/open-stream';
import type { OpenStream, StoreCost } from '../../db/ingest/types';
import { findSession } from '../../db/queries/find-session';
import { findForeign } from '../auth/authorize';
import { buildAck, sortItems } from '../ingest/build-ack';
import type { CommitPump } from '../ingest/commit-pump';
import { createAgentSpans } from './agent-spans';
import { type Attributes, textOf } from './attributes';
import type { LeftOut, LeftOutRecord } from './left-out';
import type { Report } from './report';
import type { Found, Reading } from './signals';

/** Never change it: a record that is sent again would count again. */
const STREAM_NAMESPACE = '5a9c3f0e-6f0b-5d5e-8a51-0c4b8f6d2e77';
const DEFAULT_NAME = 'opentelemetry';
const HOUR_MS = 3_600_000;
/**
 * Seqs per millisecond. The first one belongs to the start of the session. Two records of a session in the same
 * millisecond get the same seq with a probability of 1 in 2 billion. The server then rejects the second record.
 */
const SLOTS = 2 ** 31;
const MAX_OPEN_SESSIONS = 5_000;
/** Maximum lead of a sender's clock. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;
/** A machine with an earlier time has a clock that was never set. */
const FIRST_TIME = Date.UTC(2020, 0);

interface OpenSession {
  /** The most recently used stream. */
  last: { name: string; stream: OpenStream } | null;
  /** The agent on the main chain: null if the main calls name no agent, undefined before the first call. */
  mainAgent: string | null | undefined;
  isAnnounced: boolean;
}

/** The sender of a request, and the project that its header names. */
interface Sender {
  actor: Actor;
  header: string | null;
  charge(cost: StoreCost, amount: number): void;
}

interface Origin {
  project: string;
  projectSource: 'setting' | 'name';
  runner: string;
  host: string | null;
  version: string | null;
}

/** Gemini CLI states the version of Node.js as its own. */
const NODE_VERSION = /^v\d+\./;

const nameFrom = (text: string | undefined): string | null => cleanText(cleanName(text ?? ''));
const nameOf = (attributes: Attributes, name: string) => nameFrom(textOf(attributes, name));

function originOf(resource: Attributes, headerProject: string | null): Origin {
  const service = nameOf(resource, 'service.name') ?? DEFAULT_NAME;
  const project = nameOf(resource, 'barograph.project') ?? headerProject;
  const version = nameOf(resource, 'service.version');
  return {
    project: project ?? service,
    projectSource: project === null ? 'name' : 'setting',
    runner: service,
    host: nameOf(resource, 'host.name'),
    version: version !== null && NODE_VERSION.test(version) ? null : version,
  };
}

type StoredReading = Pick<Reading, 'found' | 'spans' | 'leftOut'>;

export function createReportStore(sql: postgres.Sql, pump: CommitPump, leftOut: LeftOut) {
  const sessions = new Map<string, Promise<OpenSession>>();
  const agentSpans = createAgentSpans(Date.now);

  /**
   * Give each call the conversation and the agent that the spans above it name. Leave out the records that repeat the
   * counts of a call below them.
   */
  function place(reading: StoredReading, { actor, header }: Sender) {
    const projectOf = (resource: Attributes) => {
      const { project } = originOf(resource, header);
      return findForeign(actor, 'ingest', project) === null ? project : null;
    };
    for (const [resource, own] of groupBy(reading.spans, (span) => span.resource)) {
      const project = projectOf(resource);
      if (project !== null) agentSpans.remember(project, own);
    }
    const placeOne = (each: Found): Found[] => {
      const project = each.span?.trace ? projectOf(each.resource) : null;
      if (each.span === null || project === null) return [each];
      if (each.isImplied && agentSpans.hasCall(project, each.span)) return [];
      return [{ ...each, report: agentSpans.place(project, each.report, each.span) }];
    };
    const implied = reading.found.filter(({ isImplied }) => isImplied);
    const found = [...reading.found.filter(({ isImplied }) => !isImplied), ...implied].flatMap(placeOne);
    const unused: LeftOutRecord[] = [];
    for (const [resource, own] of groupBy(reading.leftOut, (record) => record.resource)) {
      const project = projectOf(resource);
      const left = own.filter(({ span }) => project === null || !agentSpans.hasCall(project, span));
      unused.push(...left);
      if (project !== null && left.length > 0) leftOut.note(project, left);
    }
    agentSpans.trim();
    return { found, unused };
  }

  async function open({ client, session }: Report, { project }: Origin): Promise<OpenSession> {
    // The title keeps the main agent's name across restarts of the server.
    const known = client === null ? await findSession(sql, sessionId(project, session)) : null;
    return { last: null, mainAgent: known ? known.title : undefined, isAnnounced: false };
  }

  async function streamOf(
    session: OpenSession,
    name: string,
    client: string | null,
    origin: Origin,
    { charge }: Sender,
  ) {
    if (session.last?.name === name) return session.last.stream;
    const { project, projectSource, runner } = origin;
    const hello = { project, projectSource, client: client ?? undefined, runner: { name: runner } };
    const stream = await openStream(sql, {
      ...hello,
      stream: v5(name, STREAM_NAMESPACE),
      source: 'otlp',
      charge,
    });
    session.last = { name, stream };
    return stream;
  }

  function opened(name: string, report: Report, origin: Origin): Promise<OpenSession> {
    const known = sessions.get(name);
    if (known) return known;
    if (sessions.size >= MAX_OPEN_SESSIONS) sessions.clear();
    const opening = open(report, origin);
    sessions.set(name, opening);
    opening.catch(() => sessions.delete(name));
    return opening;
  }

  /** @returns a sentence for each refused report @throws database errors, StorageUnavailableError */
  async function storeSession(name: string, all: Found[], sender: Sender, bytes: number) {
    const [first] = all.sort((a, b) => a.report.at - b.report.at);
    if (!first) return [];
    const origin = originOf(first.resource, sender.header);
    const { actor } = sender;
    const foreign = findForeign(actor, 'ingest', origin.project);
    if (foreign !== null) return all.map(({ place }) => `${place}: ${foreign}`);
    const session = await opened(name, first.report, origin);
    const hours = groupBy(all, ({ report }) => Math.floor(report.at / HOUR_MS));
    const refused: string[] = [];
    for (const [hour, found] of hours) {
      const opened = await streamOf(session, `${name} ${hour}`, first.report.client, origin, sender);
      const isBound = projectsOf(actor, ['ingest']) !== null;
      const own = { sender: actor.name, charge: sender.charge };
      const stream = { ...opened, ...own, ...(isBound && { boundBy: actor.name }) };
      refused.push(...(await storeHour(session, stream, found, origin, bytes / hours.size)));
    }
    return refused;
  }

  async function storeHour(
    session: OpenSession,
    stream: OpenStream,
    found: Found[],
    origin: Origin,
    bytes: number,
  ) {
    const values: object[] = found.map(({ report }) => itemOf(report, session));
    const [first] = found;
    if (first && !session.isAnnounced) values.unshift(startOf(first.report, session, origin));
    const sorted = sortItems(values, 0);
    const now = Date.now();
    const clockAgrees = found.every(
      ({ report: { at } }) => at >= FIRST_TIME && at <= now + CLOCK_TOLERANCE_MS,
    );
    const delivery = { stream, items: sorted.items, receivedAt: now, clockAgrees };
    const outcomes = sorted.items.length === 0 ? [] : await pump.submit(delivery, Math.ceil(bytes));
    const skipped = values.length - found.length;
    session.isAnnounced = true;
    return buildAck(sorted, outcomes).refused.flatMap(({ index, field, reason }) => {
      const place = found[index - skipped]?.place;
      return place === undefined ? [] : [`${place}: ${field} ${reason}`];
    });
  }

  return {
    /**
     * Resolves after the commit. @returns a sentence for each refused report, and the records that are no calls
     * @throws as `storeSession`
     */
    async store(reading: StoredReading, sender: Sender, bytes: number) {
      const { found, unused } = place(reading, sender);
      const groups = groupBy(found, ({ report: { client, session }, resource }) => {
        const { project, runner } = originOf(resource, sender.header);
        return JSON.stringify([project, runner, client, session]);
      });
      const refused: string[] = [];
      // One after the other, so that two agents of one conversation do not both open its main chain.
      for (const [name, group] of groups)
        refused.push(...(await storeSession(name, group, sender, bytes / groups.size)));
      return { refused, unused };
    },
  };
}

function startOf({ client, session, at }: Report, { mainAgent }: OpenSession, origin: Origin): object {
  return {
    type: 'session_start',
    seq: seqOf(at, 0),
    session,
    at,
    lens: 'snapshot',
    host: origin.host ?? undefined,
    clientVersion: client === null ? undefined : (origin.version ?? undefined),
    title: mainAgent ?? undefined,
  };
}

function itemOf(report: Report, open: OpenSession): object {
  const { session, at, facts } = report;
  const seq = seqOf(at, 1 + slotOf(report));
  if (report.client !== null) return { ...facts, seq, session, at };
  const agent = nameFrom(report.agent);
  const outermost = nameFrom(report.outermostAgent);
  // The first agent of a session is its main agent.
  if (open.mainAgent === undefined) open.mainAgent = outermost ?? agent;
  const isUnnamedMain = open.mainAgent === null && agent === outermost;
  const chain = agent === null || agent === open.mainAgent || isUnnamedMain ? undefined : agent;
  return { ...facts, seq, session, at, chain };
}

function seqOf(at: number, slot: number): number {
  return 1 + (at % HOUR_MS) * SLOTS + slot;
}

function slotOf(report: Report): number {
  return createHash('sha256').update(JSON.stringify(report)).digest().readUInt32BE(0) % (SLOTS - 1);
}
