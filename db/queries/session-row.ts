/** Maps stored rows to the session of the API; no other file knows both shapes. */
import type postgres from 'postgres';
import { compactingAt } from '../../core/accounting/compacting';
import type { ChainFold, SessionFold } from '../../core/accounting/fold-types';
import { summarizeSession } from '../../core/accounting/summarize-session';
import { coverageOf } from '../../core/api/coverage';
import type { RecentTrace, Session } from '../../core/api/session';
import type { EventData } from '../../core/events/details';
import { eventLabel } from '../../core/events/kinds';
import { livenessOf } from '../../core/identity/liveness';
import { KEPT_STATES } from '../../core/transcript/transcript-states';
import { sourcesOf } from '../codes/sources';
import { STORE_RANK } from '../transcripts/record-store-event';
import type { Clock } from './clock';
import { projectThresholds } from './project-settings';

export interface SessionRow {
  id: number;
  publicId: string;
  key: string;
  project: string;
  settings: unknown;
  runner: string;
  title: string | null;
  host: string | null;
  folder: string | null;
  branch: string | null;
  model: string | null;
  client: string | null;
  clientVersion: string | null;
  clientSessionIds: string[];
  previousId: string | null;
  forkedFromId: string | null;
  backfill: boolean;
  fold: Omit<SessionFold, 'chains'>;
  mainFold: ChainFold | null;
  sources: number;
  recomputing: boolean;
  startedAt: Date;
  lastTurnAt: Date | null;
  lastActivityAt: Date | null;
  endedAt: Date | null;
  lastEvent: EventData | null;
  lastEventAt: Date | null;
  version: number;
  compositionVersion: number | null;
  notesVersion: number | null;
  uploadFailedAt: Date | null;
  uploadFailure: string | null;
}

/**
 * Columns of sessions `s` as `toSession` reads them, with their tables. Changes of state are not a last
 * event: the row shows the state itself.
 */
export function selectSessions(sql: postgres.ISql) {
  return sql`
    select s.id, s.public_id as "publicId", s.key, p.name as project, p.settings, r.name as runner,
      s.title, s.host, s.folder, s.branch, s.model, s.client, s.client_version as "clientVersion",
      array(
        select a.client_session_id from session_aliases a
        where a.session_id = s.id order by a.claimed_at, a.client_session_id
      ) as "clientSessionIds",
      s.previous_id as "previousId", s.forked_from_id as "forkedFromId", s.backfill, s.fold,
      ch.fold as "mainFold", s.sources, s.recompute_from is not null as recomputing,
      s.started_at as "startedAt", s.last_turn_at as "lastTurnAt", s.last_activity_at as "lastActivityAt",
      s.ended_at as "endedAt", le.at as "lastEventAt",
      jsonb_build_object('kind', le.kind, 'detail', le.detail) as "lastEvent",
      s.version, s.composition_version as "compositionVersion",
      s.notes_version as "notesVersion", uf.at as "uploadFailedAt", uf.reason as "uploadFailure"
    from sessions s
    join projects p on p.id = s.project_id
    join runners r on r.id = s.runner_id
    left join chains ch on ch.session_id = s.id and ch.chain = 0
    left join lateral (
      select e.kind, e.at, e.detail - '{checkpoint,prompt}'::text[] as detail from events e
      where e.session_id = s.id and not e.retracted and e.kind <> 'state_changed'
      order by e.position desc, e.rank desc limit 1
    ) le on true
    left join lateral (${givenUpUpload(sql)}) uf on true`;
}

/**
 * The newest upload of session `s` that the server dropped: no runner reports it, so it is in no fold. It is
 * shown until a transcript of the same time or a later one is kept, or its own upload starts again.
 */
function givenUpUpload(sql: postgres.ISql) {
  return sql`
    select e.at, t.reason from transcripts t
    join events e on e.session_id = s.id and e.kind = 'archive_failed'
      and e.rank >= ${STORE_RANK} and e.detail ->> 'archive' = t.archive::text
    where t.session = s.public_id and t.state = 'failed' and not exists (
      select from transcripts o where o.session = t.session and o.state = any(${[...KEPT_STATES]}) and o.at >= t.at
    )
    order by e.at desc limit 1`;
}

/** Sessions that exist: neither deleted nor adopted. */
export function existing(sql: postgres.ISql) {
  return sql`s.deleted_at is null and s.adopted_by is null`;
}

export function toSession(row: SessionRow, clock: Clock): Session {
  const chains = row.mainFold ? { main: row.mainFold } : {};
  const summary = summarizeSession({ ...row.fold, chains }, projectThresholds(row.settings));
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
  return {
    archiveFailure: newerFailure(archiveFailure, row),
    compacting: compactingAt(compacting, clock.nowMs),
    id: row.publicId,
    key: row.key,
    title: row.title,
    project: row.project,
    runner: row.runner,
    host: row.host,
    folder: row.folder,
    branch: row.branch,
    model: row.model ?? model,
    client: row.client ?? client,
    clientVersion: row.clientVersion ?? clientVersion,
    clientSessionIds: row.clientSessionIds,
    trace: traceOfLastHour(trace, clock.nowMs),
    lastEvent:
      row.lastEvent && row.lastEventAt
        ? {
            kind: row.lastEvent.kind,
            at: row.lastEventAt.toISOString(),
            label: eventLabel(row.lastEvent),
          }
        : null,
    sources,
    coverage: coverageOf({ ...summary, sources, hasComposition: row.compositionVersion !== null }),
    previousId: row.previousId,
    forkedFromId: row.forkedFromId,
    backfill: row.backfill,
    recomputing: row.recomputing,
    startedAt: row.startedAt.toISOString(),
    lastTurnAt: row.lastTurnAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
    liveness: livenessOf(livenessFacts(row), clock.nowMs, clock.idleAfterMs),
    compositionVersion: row.compositionVersion,
    notesVersion: row.notesVersion,
    version: row.version,
    // Last: fields after a spread in a literal are defined one by one, which took three quarters of this
    // function.
    ...figures,
  };
}

/** The later failure of the runner's report and the server's own. */
function newerFailure(
  reported: Session['archiveFailure'],
  { uploadFailedAt, uploadFailure }: SessionRow,
): Session['archiveFailure'] {
  if (uploadFailedAt === null) return reported;
  const given = { at: uploadFailedAt.toISOString(), reason: uploadFailure };
  return reported === null || reported.at < given.at ? given : reported;
}

/** Inputs of a row's liveness. */
export function livenessFacts(row: Pick<SessionRow, 'lastActivityAt' | 'endedAt' | 'backfill'>) {
  return {
    lastActivityAtMs: row.lastActivityAt?.getTime() ?? null,
    ended: row.endedAt !== null,
    backfill: row.backfill,
  };
}

const TRACE_MS = 3_600_000;

/**
 * The stored trace ends with the last turn: points older than an hour are left out, except the value in
 * force.
 */
function traceOfLastHour(trace: RecentTrace, nowMs: number): RecentTrace {
  const bound = (nowMs - TRACE_MS) / 1_000;
  const last = trace.at(-1);
  if (!last || last[0] < bound) return [];
  const first = trace.findIndex(([t]) => t >= bound);
  return trace.slice(Math.max(0, first - 1));
}
