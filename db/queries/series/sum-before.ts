import type postgres from 'postgres';
import {
  bucketOf,
  bucketTurns,
  PYRAMID_FACTOR,
  PYRAMID_LEVELS,
  PYRAMID_MIN_TURNS,
} from '../../../core/series/pyramid';
import type { CacheTotals } from '../../../core/series/running-totals';
import { type ChainExtent, findTurn } from './chain-places';
import { isCounted, ofChain, type PositionRange, within } from './turn-rows';

export interface SeriesStart {
  turns: number;
  /** End of the summed rows, exclusive. Unused if `turns` fills whole buckets. */
  position: number;
}

/** Cache totals before a series, from whole buckets if they exist. Null for a long chain without a pyramid. */
export async function sumBefore(
  sql: postgres.ISql,
  chain: ChainExtent,
  start: SeriesStart,
): Promise<CacheTotals | null> {
  if (start.turns <= 0) return { cacheRead: 0, cacheCreation: 0 };
  if (chain.turnCount <= PYRAMID_MIN_TURNS) {
    return sumTurns(sql, chain, { from: 0, to: start.position });
  }
  if (chain.chain !== 0) return null;
  const inBuckets = Math.floor(start.turns / bucketTurns(0)) * bucketTurns(0);
  const [whole, rest] = await Promise.all([
    sumBuckets(sql, chain, inBuckets),
    inBuckets === start.turns ? null : sumRest(sql, chain, inBuckets + 1, start.position),
  ]);
  return {
    cacheRead: whole.cacheRead + (rest?.cacheRead ?? 0),
    cacheCreation: whole.cacheCreation + (rest?.cacheCreation ?? 0),
  };
}

async function sumRest(sql: postgres.ISql, chain: ChainExtent, turn: number, to: number) {
  const first = await findTurn(sql, chain, turn);
  return sumTurns(sql, chain, { from: first?.position ?? to, to });
}

async function sumTurns(sql: postgres.ISql, chain: ChainExtent, range: PositionRange): Promise<CacheTotals> {
  const rows = await sql<CacheTotals[]>`
    select coalesce(sum(greatest(t.cache_read, 0)), 0)::float8 as "cacheRead",
      coalesce(sum(greatest(t.cache_creation, 0)), 0)::float8 as "cacheCreation"
    from turns t
    where ${ofChain(sql, chain)} and ${within(sql, range)} and ${isCounted(sql)}`;
  return rows[0] ?? NOTHING;
}

/** @param turns a whole number of buckets of level 0 */
async function sumBuckets(
  sql: postgres.ISql,
  { sessionId }: ChainExtent,
  turns: number,
): Promise<CacheTotals> {
  const ranges = wholeBuckets(turns);
  if (ranges.length === 0) return NOTHING;
  const rows = await sql<CacheTotals[]>`
    select coalesce(sum(p.cache_read), 0)::float8 as "cacheRead",
      coalesce(sum(p.cache_creation), 0)::float8 as "cacheCreation"
    from unnest(
      ${ranges.map(({ level }) => level)}::int[], ${ranges.map(({ from }) => from)}::int[],
      ${ranges.map(({ to }) => to)}::int[]
    ) as r (level, low, high)
    join pyramid p on p.session_id = ${sessionId} and p.level = r.level
      and p.bucket >= r.low and p.bucket < r.high`;
  return rows[0] ?? NOTHING;
}

const NOTHING: CacheTotals = { cacheRead: 0, cacheCreation: 0 };

/** The coarsest buckets that together cover exactly the first `turns` turns; `to` is exclusive. */
function wholeBuckets(turns: number): { level: number; from: number; to: number }[] {
  const ranges: { level: number; from: number; to: number }[] = [];
  for (let level = 0; level < PYRAMID_LEVELS; level += 1) {
    // Turn numbers begin at 1: the bucket of the next turn is the first incomplete bucket.
    const to = bucketOf(turns + 1, level);
    const from = level === PYRAMID_LEVELS - 1 ? 0 : bucketOf(turns + 1, level + 1) * PYRAMID_FACTOR;
    if (to > from) ranges.push({ level, from, to });
  }
  return ranges;
}
