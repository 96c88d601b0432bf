import type postgres from 'postgres';
import type { SeriesTurn, Standing } from '../../../core/series/turn-points';
import { flagBit, TURN_BITS, unpackTurnBits } from '../../codes/turn-bits';
import { turns } from '../../schema/turns';
import { columnsText, milliseconds, type Name, type Row } from '../../tables';

export interface ChainRef {
  sessionId: number;
  chain: number;
}

/** A stored turn, the input of `toSeriesTurn`: counts as reported, flags packed. */
export type SeriesTurnRow = Pick<Row<typeof turns>, (typeof COLUMNS)[number]> & { t: number; n: number };

const COLUMNS = [
  'position',
  'context',
  'input',
  'output',
  'cacheRead',
  'cacheCreation',
  'cumulativeInput',
  'cumulativeOutput',
  'cumulativeCacheRead',
  'reading',
  'limitTokens',
  'bits',
] as const satisfies Name<typeof turns>[];

export const SERIES_TURN = `
  ${columnsText(turns, 't', COLUMNS)}, ${milliseconds('t.chart_time')} as t, t.number as n`;

/** Turns `t` of one chain. The literal `chain <> 0` lets the planner use the index of sub-agents. */
export function ofChain(sql: postgres.ISql, { sessionId, chain }: ChainRef) {
  const side = chain === 0 ? sql`` : sql`and t.chain <> 0`;
  return sql`t.session_id = ${sessionId} and t.chain = ${chain} ${side}`;
}

/** Flags of rows that are not counted as calls. */
export const UNCOUNTED_BITS = flagBit('inherited') | flagBit('readingOnly');

export function isCounted(sql: postgres.ISql) {
  return sql`(t.bits & ${UNCOUNTED_BITS}::int) = 0`;
}

/** Positions from `from` to `to`, which is exclusive. Null: no end. */
export interface PositionRange {
  from: number;
  to: number | null;
}

export function within(sql: postgres.ISql, range: PositionRange) {
  const end = range.to === null ? sql`` : sql`and t.position < ${range.to}`;
  return sql`t.position >= ${range.from} ${end}`;
}

export function toSeriesTurn(row: SeriesTurnRow): SeriesTurn {
  const { position: _position, limitTokens, bits, ...stored } = row;
  const { scope, flags, readingUsed, snapshotKnown } = unpackTurnBits(bits);
  const counted = !(flags.inherited || flags.readingOnly);
  const count = (value: number) => (counted ? Math.max(0, value) : 0);
  return {
    ...stored,
    input: count(row.input),
    output: count(row.output),
    cacheRead: count(row.cacheRead),
    cacheCreation: count(row.cacheCreation),
    limit: limitTokens,
    counted,
    spendsMain: counted && scope === 'main' && !flags.noUsage,
    readingUsed,
    snapshotKnown,
    estimated: flags.estimated,
    untracked: flags.untracked,
  };
}

/** The last reading before a range that begins in the middle of a context. */
export async function findStanding(
  sql: postgres.ISql,
  chain: ChainRef,
  first: SeriesTurnRow | undefined,
): Promise<Standing | null> {
  if (!first) return null;
  const turn = toSeriesTurn(first);
  if (turn.readingUsed || !turn.snapshotKnown) return null;
  const rows = await sql<SeriesTurnRow[]>`
    select ${sql.unsafe(SERIES_TURN)} from turns t
    where ${ofChain(sql, chain)} and t.position < ${first.position}
      and (t.bits & ${TURN_BITS.readingUsed}::int) <> 0
    order by t.position desc limit 1`;
  const standing = rows[0] && toSeriesTurn(rows[0]);
  if (!standing || standing.reading === null) return null;
  return {
    context: standing.context,
    snapshot: { tokens: standing.reading, estimated: standing.estimated },
  };
}
