import type postgres from 'postgres';
import type { LensName } from '../../../core/accounting/types';
import type { SeriesPoint } from '../../../core/api/series';
import { bucketOf, bucketTurns, PYRAMID_LEVELS } from '../../../core/series/pyramid';
import { flagBit } from '../../codes/turn-bits';
import { milliseconds, readAsJson } from '../fragments';
import type { ChainRef } from './turn-rows';

/**
 * Maximum of buckets per answer: the finest level within it is read. Eight times the points of a chart, so
 * that one level coarser still fills them.
 */
const MAX_BUCKETS = 2_400;

interface BucketRow {
  /** Milliseconds. */
  t: number;
  n: number;
  context: number;
  used: number | null;
  min: number | null;
  max: number | null;
  limitTokens: number | null;
  turns: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
  cumulativeInput: number;
  cumulativeOutput: number;
  cumulativeCacheRead: number;
  bits: number;
}

/** Turn numbers, both inclusive. */
export interface NumberRange {
  first: number;
  last: number;
}

/** The finest level whose buckets over the range are at most `maxBuckets`. */
function pickLevel({ first, last }: NumberRange, maxBuckets = MAX_BUCKETS): number {
  let level = 0;
  while (level < PYRAMID_LEVELS - 1 && (last - first + 1) / bucketTurns(level) + 1 > maxBuckets) level += 1;
  return level;
}

/**
 * Buckets of the main chain that contain any of these turns, as points. The first and the last one may exceed
 * the range by less than a bucket.
 */
export async function readBuckets(
  sql: postgres.ISql,
  { sessionId }: ChainRef,
  range: NumberRange,
  lens: LensName,
): Promise<SeriesPoint[]> {
  const level = pickLevel(range);
  const value = (name: 'last' | 'min' | 'max') => sql(`${lens}_${name}`);
  const rows = await readAsJson<BucketRow>(
    sql,
    sql`
    select ${milliseconds(sql, sql`last_time`)} as t, last_number as n, context, ${value('last')} as used, ${value('min')} as min,
      ${value('max')} as max, limit_tokens as "limitTokens", turns, input, output, cache_read as "cacheRead",
      cache_creation as "cacheCreation", cumulative_input as "cumulativeInput",
      cumulative_output as "cumulativeOutput", cumulative_cache_read as "cumulativeCacheRead", bits
    from pyramid
    where session_id = ${sessionId} and level = ${level}
      and bucket between ${bucketOf(range.first, level)} and ${bucketOf(range.last, level)}
    order by bucket`,
  );
  return rows.map(toPoint);
}

function toPoint(row: BucketRow): SeriesPoint {
  return {
    t: row.t,
    n: row.n,
    context: row.context,
    used: row.used,
    min: row.min,
    max: row.max,
    limit: row.limitTokens,
    turns: row.turns,
    input: row.input,
    output: row.output,
    cacheRead: row.cacheRead,
    cacheCreation: row.cacheCreation,
    cumulativeInput: row.cumulativeInput,
    cumulativeOutput: row.cumulativeOutput,
    cumulativeCacheRead: row.cumulativeCacheRead,
    totalCacheRead: null,
    totalCacheCreation: null,
    estimated: (row.bits & flagBit('estimated')) !== 0,
    untracked: (row.bits & flagBit('untracked')) !== 0,
  };
}
