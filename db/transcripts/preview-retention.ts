/**
 * What a retention would delete now, in the order of apply-retention.ts: by age, then beyond the newest of a session,
 * then the oldest until the others fit. Read-only.
 */
import type postgres from 'postgres';
import type { RetentionParameters, RetentionPreview } from '../../core/api/retention';
import { KEPT_STATES } from '../../core/transcript/transcript-states';
import { listKept } from '../queries/transcripts/list-kept';

interface DueRow {
  why: 'age' | 'session' | 'room';
  transcripts: number;
  bytes: number;
  oldestAt: Date;
  newestAt: Date;
}

/** Null: no such project. */
export async function previewRetention(
  sql: postgres.Sql,
  name: string,
  { keepDays, keepPerSession, keepStoredBytes }: RetentionParameters,
): Promise<RetentionPreview | null> {
  const [kept] = await listKept(sql, name);
  if (!kept) return null;
  const isOld =
    keepDays === undefined
      ? sql`false`
      : sql`least(t.at, t.created_at) < now() - make_interval(days => ${keepDays}::int)`;
  const isBeyond = keepPerSession === undefined ? sql`false` : sql`place > ${keepPerSession}::int`;
  // Measured as in apply-retention: only chunks of kept transcripts.
  const room =
    keepStoredBytes === undefined
      ? sql`select id, false as is_over from placed`
      : sql`
          select r.id, r.rank > 1 and sum(coalesce(c.bytes, 0)) over (order by r.rank) > ${keepStoredBytes}::bigint as is_over
          from placed r left join (
            select rank, sum(stored_bytes) as bytes from (
              select min(r.rank) as rank, c.stored_bytes
              from placed r
              join transcript_parts p on p.transcript_id = r.id
              join transcript_chunks c on c.project_id = p.project_id and c.sha256 = p.sha256
              group by c.sha256, c.stored_bytes
            ) x group by rank
          ) c on c.rank = r.rank`;
  const rows = await sql<DueRow[]>`
    with stored as materialized (
      select t.id, t.at, coalesce(t.bytes, 0) as bytes, ${isOld} as is_old,
        coalesce(s.adopted_by, s.id) as session_id, case when s.id is null then t.session end as unmet
      from transcripts t
      join projects p on p.id = t.project_id
      left join sessions s on s.public_id = t.session
      where p.name = ${name} and t.state = any(${[...KEPT_STATES]})
    ), ranked as materialized (
      select id, at, row_number() over (partition by session_id, unmet order by at desc, id desc) as place
      from stored where not is_old
    ), placed as materialized (
      select id, row_number() over (order by at desc, id desc) as rank from ranked where not ${isBeyond}
    ), room as (${room})
    select case when s.is_old then 'age' when ${isBeyond} then 'session' else 'room' end as why,
      count(*)::int as transcripts, sum(s.bytes)::bigint as bytes, min(s.at) as "oldestAt", max(s.at) as "newestAt"
    from stored s left join ranked using (id) left join room using (id)
    where s.is_old or ${isBeyond} or is_over
    group by why`;
  const count = (why: DueRow['why']) => rows.find((row) => row.why === why)?.transcripts ?? 0;
  const times = (pick: (row: DueRow) => Date) => rows.map((row) => pick(row).getTime());
  return {
    kept,
    due: {
      transcripts: rows.reduce((sum, row) => sum + row.transcripts, 0),
      bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
      oldestAt: rows.length === 0 ? null : new Date(Math.min(...times((row) => row.oldestAt))).toISOString(),
      newestAt: rows.length === 0 ? null : new Date(Math.max(...times((row) => row.newestAt))).toISOString(),
      byAge: count('age'),
      bySession: count('session'),
      byRoom: count('room'),
    },
  };
}
