/** An event in full; for a compaction also the calls that determine its cost. */
import type postgres from 'postgres';
import { CLIENTS } from '../../core/agents/clients';
import type { EventDetails } from '../../core/api/responses';
import type { TurnRow } from '../../core/api/session';
import type { SessionEvent } from '../../core/events/event';
import { TURN_BITS } from '../codes/turn-bits';
import { STORED_TURN, type StoredTurn } from '../ingest/columns';
import { findSessionEvent } from './events';
import { findSession, type SessionRef } from './find-session';
import { type ChainExtent, findChain, findTurn, MAIN_CHAIN } from './series/chain-places';
import { isCounted, ofChain } from './series/turn-rows';
import { toTurnRow } from './turns';

/** A summary call contains at least this share of the context. Smaller side calls write titles or come from hooks. */
const CARRIES_CONTEXT = 0.5;
/** If no turn follows, only calls within this time after the boundary can be the summary call. */
const REACH_MS = 60_000;
const SUMMARY_CHAINS = CLIENTS.flatMap(({ summaryChain: start }) => (start ? [`${start}%`] : []));

/** @returns null for an unknown or retracted event */
export async function loadEventDetails(sql: postgres.ISql, id: string): Promise<EventDetails | null> {
  const session = await findSession(sql, id.slice(0, 36));
  const event = session && (await findSessionEvent(sql, session, id));
  if (!session || !event) return null;
  return { event, calls: await callsAround(sql, session, event) };
}

async function callsAround(
  sql: postgres.ISql,
  session: SessionRef,
  event: SessionEvent,
): Promise<EventDetails['calls']> {
  const { chain, turn } = event;
  if (event.kind !== 'compaction' || event.detail.state !== 'confirmed') return null;
  const extent = await findChain(sql, session, chain);
  if (extent === null) return { before: null, after: null, summary: null };
  const next = await findTurn(sql, extent, turn + 1);
  const from = next?.position ?? Number.MAX_SAFE_INTEGER;
  const [before, after] = await Promise.all([
    findCall(sql, extent, sql`t.position < ${from}`, 'desc'),
    findCall(sql, extent, sql`t.position >= ${from} and t.context > ${event.detail.contextBefore}`, 'asc'),
  ]);
  return {
    before: before && toTurnRow(before),
    after: after && toTurnRow(after),
    summary: await findSummary(sql, { session, extent, event, before, after }),
  };
}

type Fragment = postgres.PendingQuery<postgres.Row[]>;

/** The first counted turn. */
async function findTurnWhere(
  sql: postgres.ISql,
  where: Fragment,
  order: Fragment,
): Promise<StoredTurn | null> {
  const rows = await sql<StoredTurn[]>`
    select ${sql.unsafe(STORED_TURN)} from turns t where ${where} and ${isCounted(sql)} order by ${order} limit 1`;
  return rows[0] ?? null;
}

/** The nearest call that contained the history of its chain. */
async function findCall(
  sql: postgres.ISql,
  extent: ChainExtent,
  where: Fragment,
  way: 'asc' | 'desc',
): Promise<StoredTurn | null> {
  const isMain = sql`(t.bits & ${TURN_BITS.side}::int) = 0`;
  const order = sql`t.position ${sql.unsafe(way)}`;
  return findTurnWhere(sql, sql`${ofChain(sql, extent)} and ${where} and ${isMain}`, order);
}

interface Around {
  session: SessionRef;
  extent: ChainExtent;
  event: SessionEvent<'compaction'>;
  before: StoredTurn | null;
  after: StoredTurn | null;
}

async function findSummary(sql: postgres.ISql, around: Around): Promise<TurnRow | null> {
  const row = (await findKeptFile(sql, around)) ?? (await findLargestSideCall(sql, around));
  return row && toTurnRow(row);
}

/** Some clients store the request of a compaction as the transcript of a separate agent. */
async function findKeptFile(
  sql: postgres.ISql,
  { session, event, before, after }: Around,
): Promise<StoredTurn | null> {
  if (event.chain !== MAIN_CHAIN) return null;
  const from = new Date(before?.runnerTime ?? 0);
  const to = new Date(after?.runnerTime ?? Date.parse(event.at) + REACH_MS);
  const chains = sql`select chain from chains where session_id = ${session.id} and key like any(${SUMMARY_CHAINS})`;
  const ours = sql`t.session_id = ${session.id} and t.chain <> 0 and t.chain in (${chains})`;
  return findTurnWhere(
    sql,
    sql`${ours} and t.runner_time between ${from} and ${to}`,
    sql`t.runner_time desc`,
  );
}

async function findLargestSideCall(
  sql: postgres.ISql,
  { extent, event: { detail }, before, after }: Around,
): Promise<StoredTurn | null> {
  const size = [detail.preTokens, detail.lastReading, before?.reading].find(
    (tokens): tokens is number => (tokens ?? 0) > 0,
  );
  if (size === undefined || before === null) return null;
  const to = after?.position ?? Number.MAX_SAFE_INTEGER;
  const between = sql`t.position > ${before.position} and t.position < ${to}`;
  const sent = sql`t.input + t.cache_read + t.cache_creation`;
  const isLarge = sql`(t.bits & ${TURN_BITS.side}::int) <> 0 and ${sent} >= ${Math.floor(size * CARRIES_CONTEXT)}`;
  return findTurnWhere(sql, sql`${ofChain(sql, extent)} and ${between} and ${isLarge}`, sql`${sent} desc`);
}
