import type postgres from 'postgres';
import type { FleetCounts } from '../../core/live/protocol';
import { flagBit } from '../codes/turn-bits';
import { engine } from '../engine';
import { STRIDE } from '../ingest/types';
import { inProjects } from './limit-reads';
import { existing } from './session-row';

const HOUR_MS = 3_600_000;
/** Number of newest turns that are read first. More turns are read only if all of these are within the hour. */
const FIRST_LOOK = 64;
const SECOND_LOOK = 2_000;
/** Maximum number of sessions read, the most recently active first. More sessions would hardly change the share. */
const MAX_SESSIONS = 1_000;

/**
 * Boundaries of the last hour, and the cache share of the input. Turns have no index on time, because an index would
 * slow down every insert. So the newest turns of each active session are read.
 */
export async function fleetCounts(sql: postgres.ISql, nowMs: number): Promise<FleetCounts> {
  const since = new Date(nowMs - HOUR_MS);
  const inNoTotal = flagBit('inherited');
  // Citus plans no limit for each session. Positions of items that arrive in order are a constant step apart.
  const newest = sql`
    select t.session_id, t.position, t.chart_time, t.bits, greatest(t.input, 0) as input,
      greatest(t.cache_read, 0) as cache_read, greatest(t.cache_creation, 0) as cache_creation
    from turns t`;
  const [counts] = await sql<{ restarts: number; compactions: number; cacheRead: number; sent: number }[]>`
    with active as (
      select s.id, s.last_position from sessions s where s.last_turn_at >= ${since} and ${existing(sql)}
      order by s.last_turn_at desc limit ${MAX_SESSIONS}
    ),
    first_look as materialized (
      select s.id, n.* from active s ${
        engine.isCitus
          ? sql`join (${newest}) n on n.session_id = s.id and n.position > s.last_position - ${SECOND_LOOK * STRIDE}::bigint`
          : sql`cross join lateral (${newest} where t.session_id = s.id order by t.position desc limit ${FIRST_LOOK}) n`
      }
    ),
    busy as (
      select id from first_look where ${!engine.isCitus}::boolean group by id
      having count(*) = ${FIRST_LOOK} and min(chart_time) >= ${since}
    ),
    recent as (
      select bits, chart_time, input, cache_read, cache_creation from first_look
      union all
      select n.bits, n.chart_time, n.input, n.cache_read, n.cache_creation
      from busy s ${
        engine.isCitus
          ? sql`cross join first_look n`
          : sql`cross join lateral (
              ${newest} where t.session_id = s.id order by t.position desc offset ${FIRST_LOOK} limit ${SECOND_LOOK}
            ) n`
      }
    )
    select boundaries.*, cache.*
    from (
      select
        count(*) filter (where e.kind = 'restart')::int as restarts,
        count(*) filter (where e.kind = 'compaction' and e.detail->>'state' = 'confirmed')::int as compactions
      from events e join sessions s on s.id = e.session_id and ${existing(sql)}
      where e.at >= ${since} and not e.retracted and e.kind in ('restart', 'compaction')
    ) boundaries,
    (
      select coalesce(sum(cache_read), 0)::float8 as "cacheRead",
        coalesce(sum(input + cache_creation + cache_read), 0)::float8 as sent
      from recent where chart_time >= ${since} and (bits & ${inNoTotal}::int) = 0
    ) cache`;
  if (!counts) return { restarts: 0, compactions: 0, cacheReadShare: null };
  const { restarts, compactions, cacheRead, sent } = counts;
  return { restarts, compactions, cacheReadShare: sent > 0 ? cacheRead / sent : null };
}

export interface ChangedSession {
  id: string;
  version: number;
  /** The session was deleted, or adopted by another. */
  gone: boolean;
}

/** Sessions that changed since this time, by the database's clock. */
export async function listChangedSessions(sql: postgres.ISql, sinceMs: number): Promise<ChangedSession[]> {
  return sql<ChangedSession[]>`
    select public_id as id, version, (deleted_at is not null or adopted_by is not null) as gone
    from sessions where changed_at >= ${new Date(sinceMs)} and ${inProjects(sql, 'project_id')}`;
}

/** Time of the newest turn of any session, ISO 8601; null without turns. */
export async function newestTurnAt(sql: postgres.ISql): Promise<string | null> {
  const [row] = await sql<{ at: Date | null }[]>`
    select max(s.last_turn_at) as at from sessions s where ${existing(sql)}`;
  return row?.at?.toISOString() ?? null;
}
