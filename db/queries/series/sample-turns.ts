import type postgres from 'postgres';
import type { Lens } from '../../../core/accounting/types';
import { flagBit, TURN_BITS } from '../../codes/turn-bits';
import { readAsJson } from '../fragments';
import {
  type ChainRef,
  isCounted,
  ofChain,
  type PositionRange,
  SERIES_TURN,
  type SeriesTurnRow,
  UNCOUNTED_BITS,
  within,
} from './turn-rows';

/** Rows with their own value in this lens, without rows that repeat an earlier value. */
function bringsValue(sql: postgres.ISql, lens: Lens) {
  switch (lens) {
    case 'cumulative':
      return isCounted(sql);
    case 'snapshot':
      return sql`(t.bits & ${TURN_BITS.readingUsed}::int) <> 0`;
    case 'last-turn':
    case 'cache-inflated':
      return sql`(t.bits & ${UNCOUNTED_BITS | TURN_BITS.side | flagBit('noUsage')}::int) = 0`;
  }
}

/**
 * At most `count` real turns: the last turn, and the first turn of each equal slice of positions. Used for long
 * ranges without a pyramid: other lenses and long sub-agents.
 */
export async function sampleTurns(
  sql: postgres.ISql,
  chain: ChainRef,
  range: PositionRange,
  lens: Lens,
  count: number,
): Promise<SeriesTurnRow[]> {
  const ours = sql`${ofChain(sql, chain)} and ${within(sql, range)} and ${bringsValue(sql, lens)}`;
  const slices = Math.max(1, count - 1);
  return readAsJson<SeriesTurnRow>(
    sql,
    sql`
    with last as (
      select ${sql.unsafe(SERIES_TURN)} from turns t where ${ours} order by t.position desc limit 1
    ),
    first as (
      select t.position from turns t where ${ours} order by t.position limit 1
    ),
    slice as (
      select first.position + i * width as low, first.position + (i + 1) * width as high
      from first, last, lateral (select (last.position - first.position) / ${slices} + 1 as width) w,
        generate_series(0, ${slices - 1}::bigint) i
    )
    select s.* from slice, lateral (
      select ${sql.unsafe(SERIES_TURN)} from turns t
      where ${ours} and t.position >= slice.low and t.position < slice.high
        and t.position < (select position from last)
      order by t.position limit 1
    ) s
    union all select * from last
    order by position`,
  );
}
