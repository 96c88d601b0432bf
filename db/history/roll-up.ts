/**
 * Updates history for the sessions in `history_changes`, a few seconds after ingest. Ingest never waits for the
 * roll-up. The result depends only on the stored rows. One process works at a time. The next round handles
 * later commits.
 */
import type postgres from 'postgres';
import { arrayOf } from '../tables';
import { transact } from '../transact';
import { BUCKET_MS, cellsIn, entryParameters, OPENING, readNamedModels, type Span } from './history-entries';
import { modelIds } from './model-ids';

/** The letters `rollup` as the key of an advisory lock. */
const ROLL_UP_LOCK = '125822885983600';
/** Maximum number of changes per transaction. */
const MOST_CHANGES = 2_000;

export interface RolledUp {
  changes: number;
  isMore: boolean;
}

export async function rollUpHistory(sql: postgres.Sql, mostChanges = MOST_CHANGES): Promise<RolledUp> {
  return transact(sql, async (tx) => {
    const [lock] = await tx<{ taken: boolean }[]>`
      select pg_try_advisory_xact_lock(${ROLL_UP_LOCK}::bigint) as taken`;
    if (!lock?.taken) return NOTHING;
    const taken = await takeChanges(tx, mostChanges);
    if (taken.length === 0) return NOTHING;
    // All access is by key. Without this setting, outdated statistics during a back-fill would lead to slow plans.
    await tx`
      select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
        set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true)`;
    const spans = await readSpans(tx, taken);
    const named = await readNamedModels(tx, spans, (names) => modelIds(tx, names));
    const cells = await tx.unsafe(COUNT_SESSIONS, entryParameters(spans, named));
    const keys = ['bucket', 'runner', 'model'].map((key) => arrayOf(cells, key));
    if (cells.length > 0) await tx.unsafe(SUM_CELLS, keys);
    const changes = taken.reduce((sum, { changes: own }) => sum + own, 0);
    return { changes, isMore: changes >= mostChanges };
  });
}

const NOTHING: RolledUp = { changes: 0, isMore: false };

interface TakenChange {
  id: number;
  position: number;
  changes: number;
}

/** Skip sessions with an unfinished refold, because every slice of the refold would be counted. */
function takeChanges(tx: postgres.TransactionSql, limit: number): Promise<TakenChange[]> {
  return tx<TakenChange[]>`
    with gone as (
      delete from history_changes where ctid = any(array(
        select c.ctid from history_changes c
        where not exists (
          select 1 from sessions s where s.id = c.session_id and s.recompute_from is not null
        )
        limit ${limit}
      ))
      returning session_id, position
    )
    select session_id as id, min(position) as position, count(*)::int as changes
    from gone group by session_id order by session_id`;
}

/** A change affects rows from its position on. Earlier rows of the first affected bucket are counted again too. */
async function readSpans(tx: postgres.TransactionSql, taken: readonly TakenChange[]): Promise<Span[]> {
  const rows = await tx<{ id: number; lens: string; bucket: number | null; first: number }[]>`
    with changed as materialized (
      select s.id, s.lens, r.position
      from unnest(${arrayOf(taken, 'id')}::text::bigint[], ${arrayOf(taken, 'position')}::text::bigint[])
        as r (id, position)
      join sessions s on s.id = r.id
    ),
    touched as materialized (
      select c.*, least(
        (select min(h.bucket) from session_history h where h.session_id = c.id and h.last_position >= c.position),
        (select floor(extract(epoch from min(t.chart_time)) * 1000 / ${BUCKET_MS})::int from turns t
          where t.session_id = c.id and t.position >= c.position),
        (select floor(extract(epoch from min(e.at)) * 1000 / ${BUCKET_MS})::int from events e
          where e.session_id = c.id and e.position >= c.position)
      ) as bucket
      from changed c
    )
    select x.id, x.lens, x.bucket, ${tx.unsafe(OPENING)} as first
    from (
      select c.id, c.lens, c.bucket, least(
        c.position,
        (select min(h.first_position) from session_history h where h.session_id = c.id and h.bucket >= c.bucket)
      ) as first
      from touched c where c.bucket is not null
    ) x`;
  return rows.map(({ bucket, ...row }) => ({ ...row, last: null, from: (bucket ?? 0) * BUCKET_MS }));
}

const TOKENS = ['input', 'output', 'cache_read', 'cache_creation'];
const COUNTS = ['turns', 'restarts', 'compactions', 'thrashes', 'cache_storms'];
const COLUMNS = [...TOKENS, ...COUNTS, 'peak'];
/** Sums are capped at the range of their column, so that an extreme report cannot stop the roll-up. */
const SUMS = [
  ...TOKENS.map((column) => `least(sum(${column}), ${Number.MAX_SAFE_INTEGER})::bigint as ${column}`),
  ...COUNTS.map((column) => `least(sum(${column}), 2147483647)::int as ${column}`),
].join(', ');

/** Upsert rows of `fresh` into a table `h` where they differ. */
function put(table: string, key: readonly string[], columns: readonly string[]): string {
  const each = (of: (column: string) => string) => columns.map(of).join(', ');
  const all = [...key, ...columns].join(', ');
  return `
    insert into ${table} as h (${all}) select ${all} from fresh order by ${key.join(', ')}
    on conflict (${key.join(', ')}) do update set ${each((column) => `${column} = excluded.${column}`)}
    where (${each((column) => `h.${column}`)}) is distinct from (${each((column) => `excluded.${column}`)})`;
}

/** Replaces the history of sessions from the start of their spans on. Returns the changed cells. */
const COUNT_SESSIONS = `
  ${cellsIn(BUCKET_MS)},
  fresh as materialized (
    select session_id, slot::int as bucket, model_id, runner_id, ${SUMS}, max(cell.peak) as peak,
      min(cell.first_position) as first_position, max(cell.last_position) as last_position
    from cell join sessions on sessions.id = session_id group by 1, 2, 3, 4
    having max(cell.peak) is not null or max(turns + restarts + compactions + thrashes + cache_storms) > 0
  ),
  gone as (
    delete from session_history h using span x
    where h.session_id = x.id and h.bucket >= floor(x."from" / ${BUCKET_MS})::int and not exists (
      select 1 from fresh f
      where f.session_id = h.session_id and f.bucket = h.bucket and f.model_id = h.model_id
    )
    returning h.bucket, h.runner_id, h.model_id
  ),
  put as (
    ${put('session_history', ['session_id', 'bucket', 'model_id'], ['runner_id', ...COLUMNS, 'first_position', 'last_position'])}
    returning h.bucket, h.runner_id, h.model_id
  )
  select bucket, runner_id as runner, model_id as model from gone
  union select bucket, runner_id, model_id from put
  -- The former runner of a session that moved to another project.
  union select h.bucket, h.runner_id, h.model_id from session_history h
  join fresh f on f.session_id = h.session_id and f.bucket = h.bucket and f.model_id = h.model_id
    and f.runner_id <> h.runner_id`;

/** Recalculates the sum of each changed cell, so that errors do not add up. */
const SUM_CELLS = `
  with cell as materialized (
    select * from unnest($1::text::int[], $2::text::int[], $3::text::int[]) as c (bucket, runner, model)
  ),
  fresh as materialized (
    select h.bucket, h.runner_id, h.model_id, ${SUMS}, max(peak) as peak
    from cell c
    join session_history h on h.bucket = c.bucket and h.runner_id = c.runner and h.model_id = c.model
    group by 1, 2, 3
  ),
  gone as (
    delete from history h using cell c
    where h.bucket = c.bucket and h.runner_id = c.runner and h.model_id = c.model and not exists (
      select 1 from fresh f
      where f.bucket = h.bucket and f.runner_id = h.runner_id and f.model_id = h.model_id
    )
  )
  ${put('history', ['bucket', 'runner_id', 'model_id'], COLUMNS)}`;
