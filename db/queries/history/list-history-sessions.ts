import type postgres from 'postgres';
import {
  DEFAULT_HISTORY_SESSIONS,
  type HistorySession,
  type HistorySessionList,
  type HistorySessionSort,
  type HistorySessionsParameters,
} from '../../../core/api/history';
import type { EventData, EventDetail } from '../../../core/events/details';
import { troubleSentence } from '../../../core/events/trouble-sentence';
import { BUCKET_MS } from '../../history/history-entries';
import { snake } from '../../tables';
import { eventId } from '../events';
import { existing } from '../session-row';
import { inScope, readHistoryScope } from './history-cells';
import { SUMMED, type Sums, withCacheShare } from './history-figures';
import { historyRange } from './load-history';

type MarkKind = NonNullable<HistorySession['mark']>['kind'];

type Row = Omit<HistorySession, 'figures' | 'mark'> &
  Sums & {
    total: number;
    cause: string | null;
    kind: MarkKind | null;
    at: Date | null;
    detail: EventDetail | null;
  };

const SUMS = SUMMED.map((name) => `sum(h.${snake(name)})::float8 as "${name}"`).join(', ');

const ORDER: Readonly<Record<HistorySessionSort, string>> = {
  thrash: 'thrashes desc, storms desc, compactions desc, restarts desc',
  compactions: 'compactions desc, thrashes desc, restarts desc',
  restarts: 'restarts desc, thrashes desc, compactions desc',
};

/** Sessions with boundaries, the most thrashing first. An index of boundaries avoids reading other sessions. */
export async function listHistorySessions(
  sql: postgres.ISql,
  parameters: HistorySessionsParameters,
  nowMs: number,
): Promise<HistorySessionList> {
  const { sort = 'thrash', limit = DEFAULT_HISTORY_SESSIONS } = parameters;
  const { from, to } = historyRange(parameters, nowMs);
  const scope = await readHistoryScope(sql, parameters);
  const range = { from: Math.floor(from / BUCKET_MS), to: Math.ceil(to / BUCKET_MS) };
  const inRange = inScope(sql, scope, range);
  const order = sql.unsafe(ORDER[sort]);
  const finalOrder = sql.unsafe(ORDER[sort].replace(/\b\w+ desc/g, 'f.$&'));
  const rows = await sql<Row[]>`
    with met as (
      select h.session_id, sum(h.thrashes) as thrashes, sum(h.cache_storms) as storms, sum(h.compactions) as compactions, sum(h.restarts) as restarts
      from session_history h join sessions s on s.id = h.session_id
      where h.restarts + h.compactions + h.thrashes + h.cache_storms > 0 and ${inRange} and ${existing(sql)}
      group by 1
    ),
    first as materialized (
      select *, count(*) over ()::int as total from met order by ${order}, session_id limit ${limit}
    )
    select s.public_id as id, s.key, s.title, p.name as project, r.name as runner, s.model, f.total, w.*,
      e.cause, e.kind, e.at, e.detail
    from first f
    join sessions s on s.id = f.session_id
    join projects p on p.id = s.project_id
    join runners r on r.id = s.runner_id
    cross join lateral (
      select ${sql.unsafe(SUMS)}, max(h.peak) as peak
      from session_history h where h.session_id = f.session_id and ${inRange}
    ) w
    left join lateral (
      select e.cause, e.kind, e.at, e.detail from events e
      where e.session_id = s.id and e.chain = 0 and not e.retracted
        and e.at >= ${new Date(range.from * BUCKET_MS)} and e.at < ${new Date(range.to * BUCKET_MS)}
        and (e.kind in ('thrash', 'cache_storm', 'restart')
          or (e.kind = 'compaction' and e.detail->>'state' = 'confirmed'))
      order by e.kind = 'thrash' desc, e.kind = 'cache_storm' desc, e.position desc, e.rank desc limit 1
    ) e on true
    order by ${finalOrder}, f.session_id`;
  return { sessions: rows.map(toHistorySession), total: rows[0]?.total ?? 0 };
}

function toHistorySession(row: Row): HistorySession {
  const { id, key, title, project, runner, model, cause, kind, at, detail, total: _total, ...figures } = row;
  const isTrouble = kind === 'thrash' || kind === 'cache_storm';
  const sentence = isTrouble
    ? troubleSentence({ kind, detail } as EventData<'thrash' | 'cache_storm'>)
    : null;
  const mark =
    cause && kind && at ? { event: eventId(id, cause, kind), kind, at: at.toISOString(), sentence } : null;
  return { id, key, title, project, runner, model, figures: withCacheShare(figures), mark };
}
