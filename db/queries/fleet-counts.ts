import type postgres from 'postgres';
import type { FleetCounts } from '../../core/live/protocol';
import { existing } from './session-row';

const HOUR_MS = 3_600_000;
/** Turns in a bucket of the pyramid's level 0. */
const BUCKET_TURNS = 16;
/** Newest buckets of a session that are looked at: 2 048 turns, more than an hour holds. */
const MAX_BUCKETS = 128;

/**
 * Restarts and confirmed compactions of the last hour, and the share of cache reads in what was sent to the
 * models. The share is counted in buckets of 16 turns: one that began before the hour and ended in it counts
 * as a whole. It covers main chains.
 */
export async function fleetCounts(sql: postgres.Sql, nowMs: number): Promise<FleetCounts> {
  const since = new Date(nowMs - HOUR_MS);
  const [counts] = await sql<{ restarts: number; compactions: number; cacheRead: number; sent: number }[]>`
    select boundaries.*, cache.*
    from (
      select
        count(*) filter (where e.kind = 'restart')::int as restarts,
        count(*) filter (where e.kind = 'compaction' and e.detail->>'state' = 'confirmed')::int as compactions
      from events e
      join sessions s on s.id = e.session_id and ${existing(sql)}
      where e.at >= ${since} and not e.retracted and e.kind in ('restart', 'compaction')
    ) boundaries,
    (
      select coalesce(sum(b.cache_read), 0)::float8 as "cacheRead",
        coalesce(sum(b.input + b.cache_creation + b.cache_read), 0)::float8 as sent
      from sessions s
      join chains ch on ch.month = s.month and ch.session_id = s.id and ch.chain = 0
      cross join lateral (
        select p.cache_read, p.input, p.cache_creation
        from pyramid p
        where p.month = s.month and p.session_id = s.id and p.level = 0 and p.last_time >= ${since}
          and p.bucket > coalesce((ch.fold->>'turnCount')::int, 0) / ${BUCKET_TURNS}::int - ${MAX_BUCKETS}::int
      ) b
      where s.last_turn_at >= ${since} and ${existing(sql)}
    ) cache`;
  if (!counts) return { restarts: 0, compactions: 0, cacheReadShare: null };
  const { restarts, compactions, cacheRead, sent } = counts;
  return { restarts, compactions, cacheReadShare: sent > 0 ? cacheRead / sent : null };
}
