import type postgres from 'postgres';
import * as z from 'zod';
import type { ChainFold } from '../../core/accounting/fold-types';
import {
  DEFAULT_LIMITS,
  LATEST_MS,
  type ListSessionsParameters,
  SESSION_SORTS,
} from '../../core/api/parameters';
import type { SessionList } from '../../core/api/responses';
import { plainRate } from '../../core/forecast/plain-rate';
import type { Clock } from './clock';
import { decodeCursor, pageOf } from './cursor';
import { InvalidParameterError } from './invalid-parameter-error';
import {
  alerting,
  announced,
  NATURAL_ORDER,
  type OrderKey,
  orderKey,
  sessionConditions,
} from './session-filters';
import { type SessionRow, selectSessions, toSession } from './session-row';

const cursorShape = z.object({
  list: z.literal('sessions'),
  sort: z.enum(SESSION_SORTS),
  order: z.enum(['asc', 'desc']),
  /** All pages use the liveness at the time of the first page. */
  nowMs: z.int().min(0).max(LATEST_MS),
  key: z.tuple([z.int32(), z.number(), z.int()]),
});
type Cursor = z.infer<typeof cursorShape>;

/** Position of a row in its list: rank, value, row id. */
interface Place {
  rank: number;
  value: number;
  id: number;
}

/**
 * Sort, order and time of a cursor override the parameters. @throws InvalidParameterError for a cursor of another
 * list or sort
 */
export async function listSessions(
  sql: postgres.ISql,
  parameters: ListSessionsParameters,
  clock: Clock,
): Promise<SessionList> {
  const cursor = decodeCursor(parameters.cursor, cursorShape);
  if (cursor && parameters.sort && parameters.sort !== cursor.sort) {
    throw new InvalidParameterError('cursor', `belongs to a list sorted by ${cursor.sort}`);
  }
  const sort = cursor?.sort ?? parameters.sort ?? 'boundary';
  const order = cursor?.order ?? parameters.order ?? NATURAL_ORDER[sort];
  const { limit = DEFAULT_LIMITS.sessions } = parameters;
  const { nowMs } = cursor ?? clock;
  const at = { ...clock, nowMs };
  const conditions = sessionConditions(sql, parameters, at);
  const behind = cursor?.key ?? null;
  const { places, total } =
    sort === 'rate'
      ? await placesByRate(sql, conditions, order, behind, limit + 1)
      : await placesByKey(sql, conditions, at, orderKey(sql, sort, order, at), behind, limit + 1);
  const keyOf = ({ rank, value, id }: Place) => ({
    list: 'sessions',
    sort,
    order,
    nowMs,
    key: [rank, value, id],
  });
  const { page, nextCursor } = pageOf(places, limit, keyOf);
  const ids = page.map(({ id }) => id);
  const rows = await sql<SessionRow[]>`${selectSessions(sql, sql`s.id = any(${sql.array(ids, 20)})`)}`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  const found = ids.flatMap((id) => byId.get(id) ?? []);
  return { sessions: found.map((row) => toSession(row, clock)), total, nextCursor };
}

async function placesByKey(
  sql: postgres.ISql,
  conditions: postgres.Fragment,
  at: Clock,
  { rank, value }: OrderKey,
  key: Cursor['key'] | null,
  limit: number,
): Promise<{ places: Place[]; total: number }> {
  const behind = key
    ? sql`where (rank, value, id) > (${key[0]}::int, ${key[1]}::float8, ${key[2]}::bigint)`
    : sql``;
  const rows = await sql<(Place & { total: number })[]>`
    with announced as materialized (${announced(sql, at)}), firing as materialized (${alerting(sql)}),
    matching as (
      select s.id, ${rank} as rank, (${value})::float8 as value
      from sessions s join projects p on p.id = s.project_id join runners r on r.id = s.runner_id
      left join announced a on a.session_id = s.id left join firing f on f.session_id = s.id
      where ${conditions}
    )
    select counted.total, page.*
    from (select count(*)::int as total from matching) counted
    left join (
      select * from matching ${behind} order by rank, value, id limit ${limit}
    ) page on true
    order by rank, value, id`;
  return { places: rows.filter((row) => row.id !== null), total: rows[0]?.total ?? 0 };
}

/** The rate is a trimmed mean of the last turns (core/forecast), which SQL does not compute. */
async function placesByRate(
  sql: postgres.ISql,
  conditions: postgres.Fragment,
  order: Cursor['order'],
  key: Cursor['key'] | null,
  limit: number,
): Promise<{ places: Place[]; total: number }> {
  const rows = await sql<{ id: number; growth: ChainFold['growth'] | null }[]>`
    select s.id, ch.fold->'growth' as growth
    from sessions s join projects p on p.id = s.project_id join runners r on r.id = s.runner_id
    left join chains ch on ch.session_id = s.id and ch.chain = 0
    where ${conditions}`;
  const sign = order === 'asc' ? 1 : -1;
  const sorted = rows
    .map(({ id, growth }): Place => {
      const rate = plainRate(growth ?? []).tokensPerMinute;
      return rate === null ? { rank: 1, value: 0, id } : { rank: 0, value: sign * rate, id };
    })
    .sort(comparePlaces);
  const [rank, value, id] = key ?? [-1, 0, 0];
  const behind = sorted.filter((place) => comparePlaces(place, { rank, value, id }) > 0);
  return { places: behind.slice(0, limit), total: rows.length };
}

function comparePlaces(a: Place, b: Place): number {
  return a.rank - b.rank || a.value - b.value || a.id - b.id;
}
