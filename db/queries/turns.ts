import type postgres from 'postgres';
import * as z from 'zod';
import { DEFAULT_LIMITS, type ListTurnsParameters } from '../../core/api/parameters';
import type { TurnList } from '../../core/api/responses';
import { type TurnRow, turnRow } from '../../core/api/session';
import { unpackTurnBits } from '../codes/turn-bits';
import { STORED_TURN, type StoredTurn } from '../ingest/columns';
import { decodeCursor, pageOf } from './cursor';
import type { SessionRef } from './find-session';
import { allOf } from './fragments';
import { findChain, findTurn, MAIN_CHAIN, requireChain } from './series/chain-places';
import { isCounted } from './series/turn-rows';

export function toTurnRow(row: StoredTurn): TurnRow {
  const { scope, basis, limitSource, flags, hasCall } = unpackTurnBits(row.bits);
  const { input, output, cacheRead, cacheCreation } = row;
  // An implausible clock is replaced by the server's time.
  const at = flags.clock ? row.serverTime : row.runnerTime;
  const fields = {
    ...row,
    chain: row.chainKey,
    scope,
    at: new Date(at).toISOString(),
    receivedAt: new Date(row.serverTime).toISOString(),
    usage: flags.noUsage || flags.readingOnly ? null : { input, output, cacheRead, cacheCreation },
    cumulative: {
      input: row.cumulativeInput,
      output: row.cumulativeOutput,
      cacheRead: row.cumulativeCacheRead,
    },
    contextTokens: row.reading,
    basis,
    limit: row.limitTokens,
    limitSource,
    flags: Object.entries(flags)
      .filter(([, set]) => set)
      .map(([name]) => name),
    call: hasCall ? row.callKey : null,
  } satisfies TurnRow;
  // Removes the columns that the shape does not have.
  return turnRow.parse(fields);
}

const cursorShape = z.object({
  list: z.literal('turns'),
  order: z.enum(['asc', 'desc']),
  position: z.int(),
});

/**
 * Turns and readings in the order of items, of all chains unless a chain is named. With `turn` the list starts at that
 * number. @throws InvalidParameterError for a cursor of another list, or an unknown chain
 */
export async function listTurns(
  sql: postgres.ISql,
  session: SessionRef,
  parameters: ListTurnsParameters = {},
): Promise<TurnList> {
  const { context, turn, counted, order = 'asc', limit = DEFAULT_LIMITS.turns } = parameters;
  const chain = parameters.chain ?? (context === undefined && turn === undefined ? undefined : MAIN_CHAIN);
  await requireChain(sql, session, parameters.chain);
  const cursor = decodeCursor(parameters.cursor, cursorShape);
  const direction = cursor?.order ?? order;
  const forward = direction === 'asc';
  const begin = turn === undefined || cursor ? null : await findBegin(sql, session, { chain, turn, forward });
  const conditions = allOf(sql, [
    sql`t.session_id = ${session.id}`,
    chain !== undefined &&
      sql`t.chain = (select chain from chains where session_id = ${session.id} and key = ${chain})`,
    context !== undefined && sql`t.context = ${context}`,
    counted && (counted === 'yes' ? isCounted(sql) : sql`not ${isCounted(sql)}`),
    begin && (forward ? sql`t.position >= ${begin.position}` : sql`t.position < ${begin.position}`),
    cursor && (forward ? sql`t.position > ${cursor.position}` : sql`t.position < ${cursor.position}`),
  ]);
  const rows = await sql<StoredTurn[]>`
    select ${sql.unsafe(STORED_TURN)} from turns t
    where ${conditions}
    order by t.position ${forward ? sql`asc` : sql`desc`}
    limit ${limit + 1}`;
  const keyOf = ({ position }: StoredTurn) => ({ list: 'turns', order: direction, position });
  const { page, nextCursor } = pageOf(rows, limit, keyOf);
  return { sessionId: session.publicId, turns: page.map(toTurnRow), nextCursor };
}

/**
 * Position of the first row of a list with `turn`. For a backward list, the position after the last row of that turn.
 */
async function findBegin(
  sql: postgres.ISql,
  session: SessionRef,
  { chain = MAIN_CHAIN, turn, forward }: { chain: string | undefined; turn: number; forward: boolean },
): Promise<{ position: number }> {
  const extent = await findChain(sql, session, chain);
  const found = extent && (await findTurn(sql, extent, forward ? turn : turn + 1));
  return found ?? { position: Number.MAX_SAFE_INTEGER };
}
