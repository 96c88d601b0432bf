import type postgres from 'postgres';
import { evidenceOf } from '../../core/accounting/evidence-of';
import type { Evidence, FoldEvidence } from '../../core/api/evidence';
import type { Session } from '../../core/api/session';
import { flagBit, TURN_BITS } from '../codes/turn-bits';
import { READ_ONLY, transact } from '../transact';
import type { Clock } from './clock';
import { findSession } from './find-session';
import { projectThresholds } from './project-settings';
import { findPosition } from './series/chain-places';
import {
  type ChainRef,
  isCounted,
  ofChain,
  SERIES_TURN,
  type SeriesTurnRow,
  toSeriesTurn,
} from './series/turn-rows';
import { existing, type SessionRow, selectSessions, toSession } from './session-row';

/** The inputs of a session's numbers, read at one moment. Null: unknown id. */
export function loadEvidence(sql: postgres.Sql, publicId: string, clock: Clock): Promise<Evidence | null> {
  const read = async (tx: postgres.TransactionSql): Promise<Evidence | null> => {
    const ref = await findSession(tx, publicId);
    if (!ref) return null;
    const [row] = await tx<SessionRow[]>`${selectSessions(tx, tx`s.id = ${ref.id} and ${existing(tx)}`)}`;
    if (!row) return null;
    const chains = row.mainFold ? { main: row.mainFold } : {};
    const facts = evidenceOf({ ...row.fold, chains }, projectThresholds(row.settings), row.peers);
    const main: ChainRef = { sessionId: ref.id, chain: 0 };
    const session = toSession(row, clock);
    return { ...facts, session, ...(await placesOf(tx, main, facts, session.lens)) };
  };
  return transact(sql, read, READ_ONLY);
}

async function placesOf(
  sql: postgres.TransactionSql,
  main: ChainRef,
  { reading, context }: FoldEvidence,
  lens: Session['lens'],
): Promise<Pick<Evidence, 'reading' | 'lastTurn' | 'newestTurn' | 'peakTurn'>> {
  const ofContext = sql`${ofChain(sql, main)} and t.context = ${context.index}`;
  const newest = async (condition: postgres.PendingQuery<postgres.Row[]>) => {
    const [found] = await sql<SeriesTurnRow[]>`
      select ${sql.unsafe(SERIES_TURN)} from turns t where ${condition} order by t.position desc limit 1`;
    return found;
  };
  const inForce = sql`(t.bits & ${TURN_BITS.readingUsed}::int) <> 0`;
  const spends = sql`${isCounted(sql)} and (t.bits & ${TURN_BITS.side | flagBit('noUsage')}::int) = 0`;
  // An empty context has no rows, so rows of earlier contexts must not be used.
  const isEmpty = context.turnCount === 0 && reading === null;
  const last = isEmpty ? undefined : await newest(sql`${ofContext} and ${spends}`);
  const lastCounted = await newest(sql`${ofChain(sql, main)} and ${isCounted(sql)}`);
  const read = reading === null ? undefined : await newest(sql`${ofContext} and ${inForce}`);
  const peak = await findPeak(sql, main, context, lens === 'snapshot' ? inForce : null);
  return {
    reading: reading === null ? null : { ...reading, turn: placeOf(read) },
    lastTurn: last === undefined ? null : spendingOf(last),
    newestTurn: placeOf(lastCounted),
    peakTurn: placeOf(peak),
  };
}

/** The first turn of the open context that reached its peak. */
async function findPeak(
  sql: postgres.TransactionSql,
  main: ChainRef,
  { index, startedAt, peakOccupancy }: FoldEvidence['context'],
  reading: postgres.PendingQuery<postgres.Row[]> | null,
): Promise<SeriesTurnRow | undefined> {
  if (peakOccupancy === null) return undefined;
  const begin = startedAt === null ? null : await findPosition(sql, main, Date.parse(startedAt));
  const from = begin === null ? sql`` : sql`and t.position >= ${begin.position}`;
  const reached =
    reading === null
      ? sql`t.cumulative_input + t.cumulative_output = ${peakOccupancy}`
      : sql`${reading} and t.reading = ${peakOccupancy}`;
  const [found] = await sql<SeriesTurnRow[]>`
    select ${sql.unsafe(SERIES_TURN)} from turns t
    where ${ofChain(sql, main)} ${from} and t.context = ${index} and ${reached}
    order by t.position limit 1`;
  return found;
}

function placeOf(row: SeriesTurnRow | undefined): Evidence['newestTurn'] {
  return row === undefined ? null : { number: row.n, at: new Date(Number(row.t)).toISOString() };
}

function spendingOf(row: SeriesTurnRow): Evidence['lastTurn'] {
  const { n, t, input, output, cacheRead, cacheCreation, limit } = toSeriesTurn(row);
  const at = new Date(Number(t)).toISOString();
  return { number: n, at, input, output, cacheRead, cacheCreation, limit };
}
