import type postgres from 'postgres';
import type { LensName } from '../../../core/accounting/types';
import type { SeriesPoint } from '../../../core/api/series';
import { bucketOf, bucketTurns, PYRAMID_LEVELS } from '../../../core/series/pyramid';
import { flagBit } from '../../codes/turn-bits';
import { pyramid } from '../../schema/turns';
import { columnsText, milliseconds } from '../../tables';
import { readAsJson } from '../fragments';
import type { ChainRef } from './turn-rows';

/**
 * Maximum number of buckets. The finest level with at most this many is read. The maximum is eight times a chart's
 * points, because the next coarser level has an eighth of the buckets.
 */
const MAX_BUCKETS = 2_400;

/** Buckets that contain any of these turn numbers, inclusive. The first and last bucket may extend beyond the range. */
export async function readBuckets(
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
