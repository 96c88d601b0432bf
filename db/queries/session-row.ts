import type postgres from 'postgres';
import { compactingAt } from '../../core/accounting/compacting';
import type { ChainFold } from '../../core/accounting/fold-types';
import type { CompactionOutcome } from '../../core/accounting/next-boundary';
import { summarizeSession } from '../../core/accounting/summarize-session';
import { coverageOf } from '../../core/api/coverage';
import type { RecentTrace, Session } from '../../core/api/session';
import type { EventData } from '../../core/events/details';
import { eventLabel } from '../../core/events/kinds';
import { livenessOf } from '../../core/identity/liveness';
import { KEPT_STATES } from '../../core/transcript/transcript-states';
import { sourcesOf } from '../codes/turn-bits';
import { engine } from '../engine';
import { sessions } from '../schema/sessions';
import { columnsText, isoText, type Name, type Row } from '../tables';
import { STORE_RANK } from '../transcripts/record-store-event';
import type { Clock } from './clock';
import { inProjects } from './limit-reads';
import { peerOutcomes } from './peer-outcomes';
import { projectThresholds } from './project-settings';

const COLUMNS = [
  'id',
  'publicId',
  'key',
  'title',
  'host',
  'folder',
  'branch',
  'model',
  'client',
  'clientVersion',
  'previousId',
  'forkedFromId',
  'backfill',
  'fold',
  'sources',
  'startedAt',
  'lastTurnAt',
  'lastActivityAt',
  'endedAt',
  'version',
  'compositionVersion',
  'notesVersion',
] as const satisfies Name<typeof sessions>[];
const SESSION = columnsText(sessions, 's', COLUMNS, 'iso');

/** A session's columns, with times in ISO 8601, and its data from other tables. */
export type SessionRow = Pick<Row<typeof sessions, string>, (typeof COLUMNS)[number]> &
  Pick<Session, 'project' | 'runner' | 'clientSessionIds' | 'recomputing'> & {
    settings: unknown;
    mainFold: ChainFold | null;
    peers: CompactionOutcome[];
    /** `kind` is null if there is no event. */
    lastEvent: EventData & { kind: EventData['kind'] | null; at: string };
    upload: Session['archiveFailure'];
  };

/**
 * The rows of sessions `s` with a condition. The last event is never a change of state, because the row shows the state
 * itself. Citus joins no local table with a distributed one, so there the rows of other tables are read first.
 */
export function selectSessions(sql: postgres.ISql, where: postgres.Fragment) {
  const isShown = sql`not e.retracted and e.kind <> 'state_changed'`;
  const isDropped = sql`e.kind = 'archive_failed' and e.rank >= ${STORE_RANK}`;
  const { isCitus } = engine;
  return sql`
    ${
      isCitus
        ? sql`
    with chosen as materialized (select s.id from sessions s where ${where}),
    ch as materialized (select c.session_id, c.fold from chosen join chains c on c.session_id = chosen.id and c.chain = 0),
    le as materialized (
      select distinct on (e.session_id) e.session_id, e.kind, e.at, e.detail - '{checkpoint,prompt}'::text[] as detail
      from chosen join events e on e.session_id = chosen.id
      where ${isShown} order by e.session_id, e.position desc, e.rank desc
    ),
    failed as materialized (
      select e.session_id, e.at, e.detail from chosen join events e on e.session_id = chosen.id and ${isDropped}
    )`
        : sql``
    }
    select ${sql.unsafe(SESSION)}, ${sql.unsafe(peerOutcomes('s'))}, p.name as project, p.settings, r.name as runner,
      array(
        select a.client_session_id from session_aliases a
        where a.session_id = s.id order by a.claimed_at, a.client_session_id
      ) as "clientSessionIds",
      ch.fold as "mainFold", s.recompute_from is not null as recomputing,
      json_build_object('kind', le.kind, 'detail', le.detail, 'at', ${sql.unsafe(isoText('le.at'))}) as "lastEvent",
      uf.upload
    from sessions s
    join projects p on p.id = s.project_id
    join runners r on r.id = s.runner_id
    ${
      isCitus
        ? sql`left join ch on ch.session_id = s.id left join le on le.session_id = s.id`
        : sql`
    left join chains ch on ch.session_id = s.id and ch.chain = 0
    left join lateral (
      select e.kind, e.at, e.detail - '{checkpoint,prompt}'::text[] as detail from events e
      where e.session_id = s.id and ${isShown} order by e.position desc, e.rank desc limit 1
    ) le on true`
    }
    left join lateral (${droppedUpload(sql, isCitus ? sql`failed e on e.session_id = s.id` : sql`events e on e.session_id = s.id and ${isDropped}`)}) uf on true
    where ${where}`;
}

/** The newest upload that the server dropped, unless a transcript of that time or later is stored. */
function droppedUpload(sql: postgres.ISql, events: postgres.Fragment) {
  return sql`
    select json_build_object('at', ${sql.unsafe(isoText('e.at'))}, 'reason', t.reason) as upload from transcripts t
    join ${events} and e.detail ->> 'archive' = t.archive::text
    where t.session = s.public_id and t.state = 'failed' and not exists (
      select from transcripts o where o.session = t.session and o.state = any(${[...KEPT_STATES]}) and o.at >= t.at
    )
    order by e.at desc limit 1`;
}

/** Sessions `s` that are neither deleted nor adopted, of the client's projects. */
export function existing(sql: postgres.ISql) {
  return sql`s.deleted_at is null and s.adopted_by is null and ${inProjects(sql, 's.project_id')}`;
}

export function toSession(row: SessionRow, clock: Clock): Session {
  const chains = row.mainFold ? { main: row.mainFold } : {};
  const summary = summarizeSession({ ...row.fold, chains }, projectThresholds(row.settings), row.peers);
  const {
    lastTurnAtMs: _time,
    ended: _ended,
    backfill: _backfill,
    trace,
    archiveFailure,
    compacting,
    model,
    client,
    clientVersion,
    ...figures
  } = summary;
  const sources = sourcesOf(row.sources);
  const seen = {
    summaryCalls: row.fold.summaryCalls ?? 0,
    hasComposition: row.compositionVersion !== null,
    usageMissed: row.mainFold?.context.usageMissed === true,
  };
  const {
    id: _id,
    publicId,
    settings: _settings,
    fold: _fold,
    mainFold: _main,
    peers: _peers,
    upload,
    ...columns
  } = row;
  const { lastActivityAt: _activity, lastEvent, ...shown } = columns;
  return {
    // These fields come before the spreads, because V8 defines fields after a spread one by one, which took three
    // quarters of this function's time.
    id: publicId,
    archiveFailure: later(archiveFailure, upload),
    compacting: compactingAt(compacting, clock.nowMs),
    trace: traceOfLastHour(trace, clock.nowMs),
    coverage: coverageOf({ ...summary, ...seen, sources }),
    liveness: livenessOf(livenessFacts(row), clock.nowMs, clock.idleAfterMs),
    ...shown,
    ...figures,
    model: row.model ?? model,
    client: row.client ?? client,
    clientVersion: row.clientVersion ?? clientVersion,
    sources,
    lastEvent: lastEvent.kind && { kind: lastEvent.kind, at: lastEvent.at, label: eventLabel(lastEvent) },
  };
}

/** The later of two failures: the runner's report and the server's own. */
function later(reported: Session['archiveFailure'], own: Session['archiveFailure']) {
  return reported === null || (own !== null && reported.at < own.at) ? own : reported;
}

export function livenessFacts(row: Pick<SessionRow, 'lastActivityAt' | 'endedAt' | 'backfill'>) {
  return {
    lastActivityAtMs: row.lastActivityAt === null ? null : Date.parse(row.lastActivityAt),
    ended: row.endedAt !== null,
    backfill: row.backfill,
  };
}

const TRACE_MS = 3_600_000;

/** The points of the last hour, and the point before them. Empty if the last point is older than an hour. */
function traceOfLastHour(trace: RecentTrace, nowMs: number): RecentTrace {
  const bound = (nowMs - TRACE_MS) / 1_000;
  const last = trace.at(-1);
  if (!last || last[0] < bound) return [];
  const first = trace.findIndex(([t]) => t >= bound);
  return trace.slice(Math.max(0, first - 1));
}
