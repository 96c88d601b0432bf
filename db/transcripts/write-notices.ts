/**
 * Notices of archives, written in the transaction of their items. A notice and an upload with the same id share
 * a row, in either order; without an id they match by session and content.
 */
import type postgres from 'postgres';
import type { ItemOf } from '../../core/protocol/items';
import { toJsonText } from '../json-text';

/** An archive item of a session. `at`: by the runner's clock, milliseconds. */
export interface Notice {
  /** Public id of the session that the item names. */
  session: string;
  cause: string;
  at: number;
  item: ItemOf<'archive'>;
}

/** A batch rarely holds more than one notice. */
export async function writeNotices(
  tx: postgres.TransactionSql,
  notices: readonly Notice[],
): Promise<unknown> {
  // The statements are pipelined in order, one per notice, so that the second notice of an archive finds the first.
  return Promise.all(notices.map((notice) => writeNotice(tx, toJsonText(rowOf(notice)))));
}

/**
 * Existing facts are kept, but a runner may end an announced or uploading archive. An id is compared within the project
 * and within the session, which may have moved to another project.
 */
function writeNotice(tx: postgres.TransactionSql, row: string): Promise<unknown> {
  return tx`
    with notice as (
      select x.project_id, x.public_id as session, r.k, r.v, r.a, r.st, r.re, r.tr, r.fi, r.pa, r.by, r.li, r.sh,
        to_timestamp(r.ta / 1000.0) as at, r.ar
      from json_to_record(${row}::text::json) as r (s uuid, k text, ar uuid, v text, a uuid, st text, re text, tr text,
        ta float8, fi text, pa text, by bigint, li bigint, sh text)
      join sessions x on x.public_id = r.s
    ), known as (
      select id from (
        select t.id, 0 as rank from notice n
        join transcripts t on t.archive = n.ar and (t.project_id = n.project_id or t.session = n.session)
        union all
        select t.id, 1 from notice n
        join transcripts t on t.session = n.session and t.sha256 = n.sh
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

function rowOf({ session, cause, at, item }: Notice) {
  return {
    s: session,
    k: item.session,
    ar: item.archive,
    v: item.version ?? 'hook',
    a: cause,
    // A runner reports 'stored' for its own copy, which this server does not have yet.
    st: item.state === 'stored' ? 'announced' : item.state,
    re: item.reason,
    tr: item.trigger,
    ta: at,
    fi: item.path === undefined ? undefined : baseName(item.path),
    pa: item.path,
    by: item.bytes,
    li: item.lines,
    sh: item.sha256,
  };
}

/** Accepts both path separators, because the runner may use another system than this server. */
function baseName(path: string): string | null {
  return path.split(/[/\\]/).at(-1) || null;
}
