/**
 * What runners tell of archives, in the transaction that stores their items. A notice and an upload with one id are
 * one row, whichever comes first; without an id they meet by session and content.
 */
import type postgres from 'postgres';
import { toJsonText } from '../ingest/json-text';
import type { Row } from '../ingest/write-statements';

/** Notices as db/ingest/rows.ts makes them; a batch rarely holds more than one. */
export async function writeNotices(tx: postgres.TransactionSql, rows: readonly Row[]): Promise<unknown> {
  // One statement each, in order, so that two of one archive see each other; none waits to be sent.
  return Promise.all(rows.map((row) => writeNotice(tx, toJsonText(row))));
}

/**
 * Facts that are there already stand. So does a state, unless the runner gives up what was announced or on its way:
 * what is stored or deleted here is so whatever a runner says. An id that another project's archive has is none.
 */
function writeNotice(tx: postgres.TransactionSql, row: string): Promise<unknown> {
  return tx`
    with notice as (
      select x.project_id, x.public_id as session, r.k, r.v, r.a, r.st, r.re, r.tr, r.fi, r.pa, r.by, r.li, r.sh,
        to_timestamp(r.ta / 1000.0) as at,
        case when not exists (
          select from transcripts o where o.archive = r.ar and o.project_id <> x.project_id
        ) then r.ar end as ar
      from json_to_record(${row}::text::json) as r (s int, k text, ar uuid, v text, a uuid, st text, re text, tr text,
        ta float8, fi text, pa text, by bigint, li bigint, sh text)
      join sessions c on c.id = r.s
      join sessions x on x.project_id = c.project_id and x.key = r.k
    ), known as (
      select id from (
        select t.id, 0 as rank from notice n join transcripts t on t.archive = n.ar
        union all
        select t.id, 1 from notice n
        join transcripts t on t.session = n.session and t.project_id = n.project_id and t.sha256 = n.sh
        where (n.ar is null or t.archive is null) and t.cause is null
      ) x order by rank, id limit 1
    ), joined as (
      update transcripts t set archive = coalesce(t.archive, n.ar), cause = coalesce(t.cause, n.a),
        trigger = coalesce(t.trigger, n.tr), file_name = coalesce(t.file_name, n.fi), path = coalesce(t.path, n.pa),
        bytes = coalesce(t.bytes, n.by), lines = coalesce(t.lines, n.li), sha256 = coalesce(t.sha256, n.sh),
        state = case when n.st <> 'announced' and t.state in ('announced', 'uploading') then n.st else t.state end,
        reason = case when n.st <> 'announced' and t.state in ('announced', 'uploading') then n.re else t.reason end
      from notice n, known k where t.id = k.id
      returning 1
    )
    insert into transcripts (project_id, session, session_key, archive, cause, state, reason, trigger, version, at,
      file_name, path, bytes, lines, sha256)
    select n.project_id, n.session, n.k, n.ar, n.a, n.st, n.re, n.tr, n.v, n.at, n.fi, n.pa, n.by, n.li, n.sh
    from notice n where not exists (select from joined)
    on conflict do nothing`;
}
