import type postgres from 'postgres';
import type { SeriesTurn } from '../../../core/series/turn-points';
import { flagBit, unpackTurnBits } from '../../codes/turn-bits';
import { milliseconds } from '../fragments';

export interface ChainRef {
  sessionId: number;
  /** 0 is the main chain. */
  chain: number;
}

/** Fields derived from the bits of a row, and its limit, which has another name there. */
type Unpacked =
  | 'limit'
  | 'counted'
  | 'spendsMain'
  | 'readingUsed'
  | 'snapshotKnown'
  | 'estimated'
  | 'untracked';

/** A stored turn: counts as reported, flags packed. */
export interface SeriesTurnRow extends Omit<SeriesTurn, Unpacked> {
  position: number;
  limitTokens: number | null;
  bits: number;
}

/** Columns of a turn `t` as `toSeriesTurn` reads them. */
export function seriesTurnColumns(sql: postgres.ISql) {
  return sql`
    t.position, ${milliseconds(sql, sql`t.chart_time`)} as t, t.number as n, t.context, t.input, t.output, t.cache_read as "cacheRead",
    t.cache_creation as "cacheCreation", t.cumulative_input as "cumulativeInput",
    t.cumulative_output as "cumulativeOutput", t.cumulative_cache_read as "cumulativeCacheRead", t.reading,
    t.limit_tokens as "limitTokens", t.bits`;
}

/** Turns `t` of one chain. The literal `chain <> 0` lets the planner use the index of sub-agents. */
export function ofChain(sql: postgres.ISql, { sessionId, chain }: ChainRef) {
  const side = chain === 0 ? sql`` : sql`and t.chain <> 0`;
  return sql`t.session_id = ${sessionId} and t.chain = ${chain} ${side}`;
}

/** Flags of rows that are not counted as calls. */
export const UNCOUNTED_BITS = flagBit('inherited') | flagBit('superseded') | flagBit('readingOnly');

/** Whether the turn `t` is counted as a call. */
export function isCounted(sql: postgres.ISql) {
  return sql`(t.bits & ${UNCOUNTED_BITS}::int) = 0`;
}

/** Positions from `from` up to `to`, exclusive; null: no end. */
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
  const counted = !(flags.inherited || flags.superseded || flags.readingOnly);
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
