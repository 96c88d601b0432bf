/**
 * The points of a chart. Up to 2 000 turns are read and thinned. A longer range of the main chain is read from its
 * pyramid, or as a sample of real turns if the pyramid lacks the lens. Long sub-agents are sampled too.
 */
import type postgres from 'postgres';
import type { Lens, LensName } from '../../core/accounting/types';
import { DEFAULT_POINTS, type SeriesParameters } from '../../core/api/parameters';
import type { Series, SeriesPoint } from '../../core/api/series';
import { downsample } from '../../core/series/downsample';
import { bucketOf, bucketTurns, PYRAMID_LEVELS, PYRAMID_MIN_TURNS } from '../../core/series/pyramid';
import { runningTotals } from '../../core/series/running-totals';
import { turnPoints } from '../../core/series/turn-points';
import { flagBit, TURN_BITS } from '../codes/turn-bits';
import { pyramid } from '../schema/turns';
import { columnsText, milliseconds } from '../tables';
import type { SessionRef } from './find-session';
import { readAsJson } from './fragments';
import { type ChainExtent, findChain, findPosition, MAIN_CHAIN, unknownChain } from './series/chain-places';
import { sumBefore } from './series/sum-before';
import {
  type ChainRef,
  findStanding,
  isCounted,
  ofChain,
  type PositionRange,
  SERIES_TURN,
  type SeriesTurnRow,
  toSeriesTurn,
  UNCOUNTED_BITS,
  within,
} from './series/turn-rows';

/** A longer range is read from the pyramid, which exists from this length on. */
const MAX_RAW_ROWS = PYRAMID_MIN_TURNS;

interface Range extends PositionRange {
  first: number;
  last: number;
}

/** `from` and `to`: chart times in milliseconds, inclusive. @throws InvalidParameterError for an unknown chain */
export async function loadSeries(
  sql: postgres.ISql,
  session: SessionRef,
  parameters: SeriesParameters = {},
): Promise<Series> {
  const { chain: key = MAIN_CHAIN, from, to, points: budget = DEFAULT_POINTS } = parameters;
  const lens = parameters.lens ?? session.lens;
  const chain = await findChain(sql, session, key);
  if (!chain && key !== MAIN_CHAIN) throw unknownChain();
  const range = chain && (await findRange(sql, chain, from, to));
  const points = chain && range ? await readPoints(sql, chain, range, lens, budget) : [];
  const turnCount = range ? Math.max(0, range.last - range.first + 1) : 0;
  const thinned = downsample(points, budget);
  return {
    sessionId: session.publicId,
    chain: key,
    lens,
    version: session.version,
    from: from ?? null,
    to: to ?? null,
    turnCount,
    thinned: thinned.length < points.length || points.length < turnCount,
    points: thinned,
  };
}

async function findRange(
  sql: postgres.ISql,
  chain: ChainExtent,
  from: number | undefined,
  to: number | undefined,
): Promise<Range | null> {
  const [start, end] = await Promise.all([
    from === undefined ? null : findPosition(sql, chain, from),
    to === undefined ? null : findPosition(sql, chain, to + 1),
  ]);
  if (from !== undefined && !start) return null;
  return {
    from: start?.position ?? 0,
    to: end?.position ?? null,
    first: (start?.turnsBefore ?? 0) + 1,
    last: end?.turnsBefore ?? chain.turnCount,
  };
}

async function readPoints(
  sql: postgres.ISql,
  chain: ChainExtent,
  range: Range,
  lens: Lens,
  budget: number,
): Promise<SeriesPoint[]> {
  if (range.last - range.first < MAX_RAW_ROWS) {
    const rows = await readTurns(sql, chain, range);
    if (rows.length <= MAX_RAW_ROWS) {
      const turns = rows.map(toSeriesTurn);
      const standing = lens === 'snapshot' ? await findStanding(sql, chain, rows[0]) : null;
      return withTotals(sql, chain, range, turnPoints(turns, lens, standing));
    }
  }
  if (chain.chain === 0 && (lens === 'cumulative' || lens === 'snapshot')) {
    return withTotals(sql, chain, range, await readBuckets(sql, chain, range, lens));
  }
  return turnPoints((await sampleTurns(sql, chain, range, lens, budget)).map(toSeriesTurn), lens);
}

async function withTotals(
  sql: postgres.ISql,
  chain: ChainExtent,
  range: Range,
  points: SeriesPoint[],
): Promise<SeriesPoint[]> {
  const first = points[0];
  if (!first) return points;
  const before = await sumBefore(sql, chain, { turns: first.n - first.turns, position: range.from });
  return before === null ? points : runningTotals(points, before);
}

/** Reads the rows of a range, at most one more than the maximum. The extra row shows that there are too many rows. */
async function readTurns(
  sql: postgres.ISql,
  chain: ChainExtent,
  range: PositionRange,
): Promise<SeriesTurnRow[]> {
  const moves = sql`(${isCounted(sql)} or (t.bits & ${TURN_BITS.readingUsed}::int) <> 0)`;
  return readAsJson<SeriesTurnRow>(
    sql,
    sql`
    select ${sql.unsafe(SERIES_TURN)} from turns t
    where ${ofChain(sql, chain)} and ${within(sql, range)} and ${moves}
    order by t.position
    limit ${MAX_RAW_ROWS + 1}`,
  );
}

/**
 * Maximum number of buckets. The finest level with at most this many is read. The maximum is eight times a chart's
 * points, because the next coarser level has an eighth of the buckets.
 */
const MAX_BUCKETS = 2_400;

/** Buckets that contain any of these turn numbers, inclusive. The first and last bucket may extend beyond the range. */
async function readBuckets(
  sql: postgres.ISql,
  { sessionId }: ChainRef,
  range: { first: number; last: number },
  lens: LensName,
): Promise<SeriesPoint[]> {
  const count = range.last - range.first + 1;
  let level = 0;
  while (level < PYRAMID_LEVELS - 1 && count / bucketTurns(level) + 1 > MAX_BUCKETS) level += 1;
  return readAsJson<SeriesPoint>(
    sql,
    sql`
    select ${sql.unsafe(POINT)}, ${sql(`${lens}_last`)} as used, ${sql(`${lens}_min`)} as min, ${sql(`${lens}_max`)} as max
    from pyramid
    where session_id = ${sessionId} and level = ${level}
      and bucket between ${bucketOf(range.first, level)} and ${bucketOf(range.last, level)}
    order by bucket`,
  );
}

const POINT = `
  ${columnsText(pyramid, 'pyramid', [
    'context',
    'turns',
    'input',
    'output',
    'cacheRead',
    'cacheCreation',
    'cumulativeInput',
    'cumulativeOutput',
    'cumulativeCacheRead',
  ])}, ${milliseconds('last_time')} as t, last_number as n, limit_tokens as limit,
  null::int as "totalCacheRead", null::int as "totalCacheCreation",
  (bits & ${flagBit('estimated')}) <> 0 as estimated, (bits & ${flagBit('untracked')}) <> 0 as untracked`;

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
async function sampleTurns(
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
