import type postgres from 'postgres';
import { flagBit, TURN_BITS } from '../codes/turn-bits';
import { UNCOUNTED_BITS } from '../queries/series/turn-rows';

/**
 * Buckets of history: 15 minutes of UTC, numbered from the epoch. In every current time zone, midnight is the start of
 * a bucket.
 */
export const BUCKET_MS = 900_000;
/** A session counts as live for this time after an activity, and keeps its last pressure meanwhile. */
const LIVE_MS = 600_000;

/** Part of a session to count: the rows from position `first` to `last` with a time of at least `from`. */
export interface Span {
  id: number;
  lens: string;
  first: number;
  last: number | null;
  /** Chart time from which rows are counted, inclusive, milliseconds. Earlier rows state the pressure at that time. */
  from: number;
}

/** The model named by a session_start, for the rows that follow it. */
export interface NamedModel {
  sessionId: number;
  after: number;
  /** Position of the next session_start, inclusive; null: no later session_start. */
  until: number | null;
  modelId: number;
}

const SIDE_OR_UNTRACKED = TURN_BITS.side | flagBit('untracked') | flagBit('noUsage') | UNCOUNTED_BITS;

/** Whether turn `t` of session `x` has a value of the session's lens on the main chain. */
const VALUED = `(t.chain = 0 and case when x.lens = 'snapshot' then (t.bits & ${TURN_BITS.readingUsed}) <> 0
  else (t.bits & ${SIDE_OR_UNTRACKED}) = 0 end)`;
const COUNTED_EVENT = `(e.kind in ('restart', 'thrash', 'cache_storm')
  or (e.kind = 'compaction' and e.detail->>'state' = 'confirmed'))`;
/** Whether event `e` ends the last pressure. */
const ENDS = `(e.kind in ('restart', 'context_cleared', 'session_ended')
  or (e.kind = 'compaction' and e.detail->>'state' = 'confirmed'))`;

/** Position from which to read a span `x` with `first`, so that the pressure before it is known. */
export const OPENING = `coalesce(greatest(
  (select t.position from turns t where t.session_id = x.id and t.position < x.first and ${VALUED}
    order by t.position desc limit 1),
  (select e.position from events e where e.session_id = x.id and e.position < x.first and e.chain = 0
    and not e.retracted and ${ENDS} order by e.position desc limit 1)
), x.first)`;

/**
 * Calls and boundaries in the spans, with the figures that each adds to history, and the pressure of the main chain at
 * that time by the session's lens. A live session without a row in a slot adds its last pressure at the slot's start.
 * @param slotMs length of a slot; the slots start at multiples of it
 * Parameters: `entryParameters`.
 */
export const entriesIn = (slotMs: number) => `
  with span as materialized (
    select * from json_to_recordset($1::text::json)
      as x (id bigint, lens text, first bigint, last bigint, "from" float8)
  ),
  named as materialized (
    select * from json_to_recordset($2::text::json)
      as n ("sessionId" bigint, after bigint, until bigint, "modelId" int)
  ),
  reported as (
    select x.id as session_id, t.position, t.chart_time as at,
      coalesce(t.model_id, ${namedModel('t')}, 0) as model_id,
      case when c.counted then 1 else 0 end as turns,
      case when c.counted then greatest(t.input, 0) else 0 end as input,
      case when c.counted then greatest(t.output, 0) else 0 end as output,
      case when c.counted then greatest(t.cache_read, 0) else 0 end as cache_read,
      case when c.counted then greatest(t.cache_creation, 0) else 0 end as cache_creation,
      c.valued as is_mark,
      case when not c.valued or t.limit_tokens is null then null
        when t.limit_tokens <= 0 then 0
        when x.lens = 'snapshot' then t.reading::float8 / t.limit_tokens
        else (t.cumulative_input + t.cumulative_output)::float8 / t.limit_tokens
      end as pressure,
      0 as restarts, 0 as compactions, 0 as thrashes, 0 as cache_storms
    from span x
    join turns t on t.session_id = x.id and t.position >= x.first
      and t.position <= coalesce(x.last, ${Number.MAX_SAFE_INTEGER})
    cross join lateral (
      select (t.bits & ${UNCOUNTED_BITS}) = 0 as counted, ${VALUED} as valued
    ) c
    where c.counted or c.valued
    union all
    select x.id, e.position, e.at, coalesce(b.model_id, ${namedModel('e')}, 0), 0, 0, 0, 0, 0, ${ENDS}, null,
      case when e.kind = 'restart' then 1 else 0 end, case when e.kind = 'compaction' then 1 else 0 end,
      case when e.kind = 'thrash' then 1 else 0 end, case when e.kind = 'cache_storm' then 1 else 0 end
    from span x
    join events e on e.session_id = x.id and e.position >= x.first
      and e.position <= coalesce(x.last, ${Number.MAX_SAFE_INTEGER})
    left join lateral (
      select t.model_id from turns t
      where t.session_id = e.session_id and t.position <= e.position and t.chain = 0
      order by t.position desc limit 1
    ) b on true
    where e.chain = 0 and not e.retracted and (${COUNTED_EVENT} or ${ENDS})
  ),
  followed as (
    select r.*, (max(case when is_mark then array[position, pressure] end) over next)[2] as stood,
      least(lead(at) over next, at + interval '${LIVE_MS} milliseconds') as until
    from reported r window next as (partition by session_id order by position, at)
  ),
  entry as (
    select f.* from followed f join span x on x.id = f.session_id where f.at >= to_timestamp(x."from" / 1000)
    union all
    select f.session_id, f.position, to_timestamp(slot * ${slotMs / 1000}), f.model_id, 0, 0, 0, 0, 0, false, null,
      0, 0, 0, 0, f.stood, null
    from followed f join span x on x.id = f.session_id
    cross join lateral generate_series(
      floor(extract(epoch from f.at) * 1000 / ${slotMs})::bigint + 1,
      floor(extract(epoch from f.until) * 1000 / ${slotMs})::bigint
    ) slot
    where f.stood is not null and f.until > f.at and slot * ${slotMs} >= x."from"
  )`;

function namedModel(row: string): string {
  return `(select n."modelId" from named n where n."sessionId" = x.id and n.after < ${row}.position
    and ${row}.position <= coalesce(n.until, ${Number.MAX_SAFE_INTEGER}))`;
}

export function entryParameters(spans: readonly Span[], named: readonly NamedModel[]): string[] {
  return [JSON.stringify(spans), JSON.stringify(named)];
}

/** Read models from session starts, for spans that have rows without a model. */
export async function readNamedModels(
  sql: postgres.ISql,
  spans: readonly Span[],
  idsOf: (names: readonly string[]) => Promise<ReadonlyMap<string, number>>,
): Promise<NamedModel[]> {
  const asked = JSON.stringify(spans.map(({ id, first, last }) => ({ id, first, last })));
  const rows = await sql<{ sessionId: number; after: number; until: number | null; model: string }[]>`
    with needy as materialized (
      select x.id
      from json_to_recordset(${asked}::text::json) as x (id bigint, first bigint, last bigint)
      where exists (
        select 1 from turns t
        where t.session_id = x.id and t.position >= x.first
          and t.position <= coalesce(x.last, ${Number.MAX_SAFE_INTEGER}::bigint) and t.model_id is null
      ) or exists (
        select 1 from events e
        where e.session_id = x.id and e.position >= x.first
          and e.kind in ('restart', 'compaction', 'thrash', 'cache_storm')
      )
    )
    select r.session_id as "sessionId", r.position as after,
      lead(r.position) over (partition by r.session_id order by r.position) as until, r.item->>'model' as model
    from needy x join reports r on r.session_id = x.id
    where r.item->>'type' = 'session_start' and r.item->>'model' is not null`;
  const ids = await idsOf([...new Set(rows.map(({ model }) => model))]);
  return rows.flatMap(({ model, ...row }) => {
    const modelId = ids.get(model);
    return modelId === undefined ? [] : [{ ...row, modelId }];
  });
}
