import type postgres from 'postgres';
import { flagBit, TURN_BITS } from '../codes/turn-bits';
import { groupBy } from '../group-by';
import { UNCOUNTED_BITS } from '../queries/series/turn-rows';
import { arrayOf } from '../tables';

/**
 * Buckets of history: 15 minutes of UTC, numbered from the epoch. In every current time zone, midnight is the start of
 * a bucket.
 */
export const BUCKET_MS = 900_000;
/** A session counts as live for this time after its last activity. Until then it keeps its last pressure. */
const LIVE_MS = 600_000;

/** The rows of a session to count: from position `first` to `last`, not before the time `from`. */
export interface Span {
  id: number;
  lens: string;
  first: number;
  last: number | null;
  /** Chart time from which rows are counted, inclusive, milliseconds. Earlier rows only give the pressure then. */
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

/** Whether turn `t` of session `x` is on the main chain and has a value in the session's lens. */
const VALUED = `(t.chain = 0 and case when x.lens = 'snapshot' then (t.bits & ${TURN_BITS.readingUsed}) <> 0
  else (t.bits & ${SIDE_OR_UNTRACKED}) = 0 end)`;
/** Pressure of turn `t` of session `x` by the session's lens; null without a limit. */
const PRESSURE = `case when t.limit_tokens <= 0 then 0
  when x.lens = 'snapshot' then t.reading::float8 / t.limit_tokens
  else (t.cumulative_input + t.cumulative_output)::float8 / t.limit_tokens end`;
/** Whether event `e` ends the last pressure. */
const ENDS = `(e.kind in ('restart', 'context_cleared', 'session_ended')
  or (e.kind = 'compaction' and e.detail->>'state' = 'confirmed'))`;

/** Position from which to read span `x`. The rows between it and `first` give the pressure at the start of the span. */
export const OPENING = `coalesce(greatest(
  (select t.position from turns t where t.session_id = x.id and t.position < x.first and ${VALUED}
    order by t.position desc limit 1),
  (select e.position from events e where e.session_id = x.id and e.position < x.first and e.chain = 0
    and not e.retracted and ${ENDS} order by e.position desc limit 1)
), x.first)`;

/** Columns that are sums. */
const SUMMED =
  'turns input output cache_read cache_creation restarts compactions thrashes cache_storms'.split(' ');
const SUMS = SUMMED.map((column) => `sum(${column}) as ${column}`).join(', ');

/**
 * Figures of spans by session, slot and model. `peak`: the highest pressure in the session's lens. The last
 * pressure before a slot counts too if the session was live at its start, or had calls before its first value.
 * @param slotMs length of a slot; slots are numbered from the epoch
 * Parameters: `entryParameters`.
 */
export const cellsIn = (slotMs: number) => `
  with span as materialized (
    select * from unnest($1::text::bigint[], $2::text::text[], $3::text::bigint[], $4::text::bigint[],
      $5::text::float8[]) as x (id, lens, first, last, "from")
  ),
  entry as (
    select x.id as session_id, x."from", t.position, t.chart_time as at,
      coalesce(t.model_id, ${namedModel('t')}, 0) as model_id,
      case when c.counted then 1 else 0 end as turns,
      case when c.counted then greatest(t.input, 0) else 0 end as input,
      case when c.counted then greatest(t.output, 0) else 0 end as output,
      case when c.counted then greatest(t.cache_read, 0) else 0 end as cache_read,
      case when c.counted then greatest(t.cache_creation, 0) else 0 end as cache_creation,
      c.valued as is_mark, case when c.valued then ${PRESSURE} end as pressure,
      0 as restarts, 0 as compactions, 0 as thrashes, 0 as cache_storms
    from span x
    join turns t on t.session_id = x.id and t.position >= x.first
      and t.position <= coalesce(x.last, ${Number.MAX_SAFE_INTEGER})
    cross join lateral (
      select (t.bits & ${UNCOUNTED_BITS}) = 0 as counted, ${VALUED} as valued
    ) c
    where c.counted or c.valued
    union all
    select x.id, x."from", e.position, e.at, coalesce(b.model_id, ${namedModel('e')}, 0), 0, 0, 0, 0, 0, ${ENDS}, null,
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
    where e.chain = 0 and not e.retracted and (e.kind in ('thrash', 'cache_storm') or ${ENDS})
  ),
  -- date_part computes in float8, which is exact enough for microseconds and much faster than the numeric extract.
  reported as materialized (
    select session_id, floor(date_part('epoch', at) * 1000 / ${slotMs})::bigint as slot, model_id, "from", ${SUMS},
      max(pressure) as peak, min(position) as first_position, max(position) as last_position,
      max(position) filter (where is_mark) as mark, min(at) as first_at, max(at) as last_at,
      min(at) filter (where is_mark) as first_mark_at
    from entry group by 1, 2, 3, 4
  ),
  followed as (
    select s.*, max(mark) over before as mark_before, max(last_at) over before as last_before,
      greatest(mark, max(mark) over before) as mark_after,
      lead(slot) over (partition by session_id order by slot) as next_slot
    from (
      select session_id, slot, "from", max(mark) as mark, min(first_at) as first_at, max(last_at) as last_at,
        min(first_mark_at) as first_mark_at
      from reported group by 1, 2, 3
    ) s
    window before as (partition by session_id order by slot rows between unbounded preceding and 1 preceding)
  ),
  kept as (
    select session_id, slot, "from", mark_before as mark from followed
    where first_mark_at is null or first_at < first_mark_at
      or floor(extract(epoch from last_before) * 1000 + ${LIVE_MS}) >= slot * ${slotMs}
    union all
    select f.session_id, slot.number, f."from", f.mark_after from followed f
    cross join lateral generate_series(f.slot + 1, least(
      f.next_slot - 1, floor((extract(epoch from f.last_at) * 1000 + ${LIVE_MS}) / ${slotMs})::bigint
    )) slot (number)
  ),
  cell as (
    select session_id, slot, model_id, ${SUMMED.join(', ')}, peak, first_position, last_position
    from reported where slot * ${slotMs} >= "from"
    union all
    select k.session_id, k.slot, coalesce(t.model_id, ${namedModel('t')}, 0), ${SUMMED.map(() => 0).join(', ')}, ${PRESSURE},
      k.mark, k.mark
    from kept k join sessions x on x.id = k.session_id
    join turns t on t.session_id = k.session_id and t.position = k.mark
    where k.slot * ${slotMs} >= k."from"
  )`;

/** Looks up the models of session `x` by key, because a scan for each row is slow with thousands of sessions. */
function namedModel(row: string): string {
  return `(select n."modelId" from jsonb_to_recordset((select $6::text::jsonb) -> x.id::text)
    as n (after bigint, until bigint, "modelId" int)
    where n.after < ${row}.position and ${row}.position <= coalesce(n.until, ${Number.MAX_SAFE_INTEGER}))`;
}

export function entryParameters(spans: readonly Span[], named: readonly NamedModel[]): string[] {
  const bySession = groupBy(named, ({ sessionId }) => sessionId);
  return [
    ...(['id', 'lens', 'first', 'last', 'from'] as const).map((key) => arrayOf(spans, key)),
    JSON.stringify(Object.fromEntries(bySession)),
  ];
}

/** Read models from session starts, for spans that have rows without a model. */
export async function readNamedModels(
  sql: postgres.ISql,
  spans: readonly Span[],
  idsOf: (names: readonly string[]) => Promise<ReadonlyMap<string, number>>,
): Promise<NamedModel[]> {
  const rows = await sql<{ sessionId: number; after: number; until: number | null; model: string }[]>`
    with needy as materialized (
      select x.id
      from unnest(${arrayOf(spans, 'id')}::text::bigint[], ${arrayOf(spans, 'first')}::text::bigint[],
        ${arrayOf(spans, 'last')}::text::bigint[]) as x (id, first, last)
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
