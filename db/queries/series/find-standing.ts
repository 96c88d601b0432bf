import type postgres from 'postgres';
import type { Standing } from '../../../core/series/turn-points';
import { TURN_BITS } from '../../codes/turn-bits';
import { type ChainRef, ofChain, SERIES_TURN, type SeriesTurnRow, toSeriesTurn } from './turn-rows';

/** The reading in force where a range begins in the middle of a context. */
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
