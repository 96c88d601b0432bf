/**
 * Sums of history by bucket and group. The sums are read from stored buckets, or from single turns if the requested
 * buckets are shorter. The edges are a subquery, so that their text is parsed once and not per row.
 */
import type postgres from 'postgres';
import type { HistoryParameters } from '../../../core/api/history';
import type { HistoryGrouping } from '../../../core/history/groupings';
import {
  BUCKET_MS,
  cellsIn,
  entryParameters,
  type NamedModel,
  OPENING,
  readNamedModels,
  type Span,
} from '../../history/history-entries';
import { modelIds } from '../../history/model-ids';
import { snake } from '../../tables';
import { READ_ONLY, transact } from '../../transact';
import { allOf, readAsJson } from '../fragments';
import { inProjects, isLimited } from '../limit-reads';
import { SUMMED } from './history-figures';

/** Scope of history, by stored ids; null: all. */
export interface HistoryScope {
  runnerIds: number[] | null;
  modelIds: number[] | null;
}

/** Ids of the requested names; an unknown name matches nothing. */
export async function readHistoryScope(
  sql: postgres.ISql,
  { project, runner, model }: Pick<HistoryParameters, 'project' | 'runner' | 'model'>,
): Promise<HistoryScope> {
  const runners =
    project || runner || isLimited(sql)
      ? await sql<{ id: number }[]>`
        select r.id from runners r join projects p on p.id = r.project_id
        where ${allOf(sql, [
          inProjects(sql, 'p.id'),
          project && sql`p.name = any(${project})`,
          runner && sql`r.name = any(${runner})`,
        ])}`
      : null;
  const models = model ? await sql<{ id: number }[]>`select id from models where name = any(${model})` : null;
  return { runnerIds: runners?.map(({ id }) => id) ?? null, modelIds: models?.map(({ id }) => id) ?? null };
}

/** Rows `h` of `history` or `session_history` in a range of buckets, the end exclusive. */
export function inScope(
  sql: postgres.ISql,
  { runnerIds, modelIds }: HistoryScope,
  range: { from: number; to: number },
) {
  return allOf(sql, [
    sql`h.bucket >= ${range.from} and h.bucket < ${range.to}`,
    runnerIds && sql`h.runner_id = any(${`{${runnerIds}}`}::text::int[])`,
    modelIds && sql`h.model_id = any(${`{${modelIds}}`}::text::int[])`,
  ]);
}

/** One bucket of one group. The sums have the order of `SUMMED`. */
export type HistoryCell = [slot: number, group: number, peak: number | null, ...sums: number[]];

const NAMES = SUMMED.map(snake);
const SUMS = NAMES.map((column) => `sum(${column})::float8 as ${column}`).join(', ');
const CELL_COLUMNS = ['slot', 'grp', 'peak', ...NAMES].join(', ');

const GROUP_COLUMN = { project: 'r.project_id', runner: 'h.runner_id', model: 'h.model_id' } as const;

/** @param edges bounds of the buckets, milliseconds; each is a bound of a stored bucket */
export async function sumStored(
  sql: postgres.ISql,
  scope: HistoryScope,
  edges: readonly number[],
  by: HistoryGrouping | null,
): Promise<HistoryCell[]> {
  const buckets = edges.map((edge) => Math.floor(edge / BUCKET_MS));
  const range = { from: buckets[0] ?? 0, to: buckets.at(-1) ?? 0 };
  const runners = by === 'project' ? sql`join runners r on r.id = h.runner_id` : sql``;
  const rows = await readAsJson<{ cell: HistoryCell }>(
    sql,
    sql`
    select json_build_array(${sql.unsafe(CELL_COLUMNS)}) as cell from (
      select width_bucket(h.bucket, (select ${`{${buckets}}`}::text::int[])) - 1 as slot,
        ${sql.unsafe(by === null ? '0' : GROUP_COLUMN[by])} as grp, ${sql.unsafe(SUMS)}, max(h.peak) as peak
      from history h ${runners}
      where ${inScope(sql, scope, range)}
      group by 1, 2
    ) cells`,
  );
  return rows.map(({ cell }) => cell);
}

/** Number of turns in a range, milliseconds. */
export async function countStoredTurns(
  sql: postgres.ISql,
  scope: HistoryScope,
  from: number,
  to: number,
): Promise<number> {
  const range = { from: Math.floor(from / BUCKET_MS), to: Math.ceil(to / BUCKET_MS) };
  const [row] = await sql<{ turns: number }[]>`
    select coalesce(sum(h.turns), 0)::float8 as turns from history h where ${inScope(sql, scope, range)}`;
  return row?.turns ?? 0;
}

/** Sums of single turns, which the sessions' history locates. @param edges bounds of the buckets, milliseconds */
export async function sumTurns(
  sql: postgres.Sql,
  scope: HistoryScope,
  edges: readonly number[],
  by: HistoryGrouping | null,
): Promise<HistoryCell[]> {
  const from = edges[0] ?? 0;
  const to = edges.at(-1) ?? 0;
  return transact(
    sql,
    async (tx) => {
      await tx`
        select set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
          set_config('jit', 'off', true)`;
      const spans = await readSpans(tx, scope, from, to);
      // The roll-up has already created an id for each name.
      const named = await readNamedModels(tx, spans, (names) => modelIds(tx, names, { areKnown: true }));
      return sumEntries(tx, spans, named, { scope, edges, by });
    },
    READ_ONLY,
  );
}

async function readSpans(
  tx: postgres.TransactionSql,
  scope: HistoryScope,
  from: number,
  to: number,
): Promise<Span[]> {
  const range = { from: Math.floor(from / BUCKET_MS), to: Math.ceil(to / BUCKET_MS) };
  return tx<Span[]>`
    select x.id, x.lens, ${tx.unsafe(OPENING)} as first, x.last, ${from}::float8 as "from"
    from (
      select s.id, s.lens, min(h.first_position) as first, max(h.last_position) as last
      from session_history h join sessions s on s.id = h.session_id
      where ${inScope(tx, scope, range)} group by s.id
    ) x`;
}

const ENTRY_GROUP = { project: 's.project_id', runner: 's.runner_id', model: 'e.model_id' } as const;

async function sumEntries(
  tx: postgres.TransactionSql,
  spans: readonly Span[],
  named: readonly NamedModel[],
  { scope, edges, by }: { scope: HistoryScope; edges: readonly number[]; by: HistoryGrouping | null },
): Promise<HistoryCell[]> {
  const ofModels = scope.modelIds === null ? '' : `and e.model_id = any('{${scope.modelIds}}'::int[])`;
  const slotMs = (edges[1] ?? 0) - (edges[0] ?? 0);
  const rows = await tx.unsafe<{ cells: HistoryCell[] | null }[]>(
    `${cellsIn(slotMs)}
    select json_agg(json_build_array(${CELL_COLUMNS})) as cells from (
      select width_bucket((e.slot * ${slotMs})::float8, (select $7::text::float8[])) - 1 as slot,
        ${by === null ? '0' : ENTRY_GROUP[by]} as grp, ${SUMS}, max(e.peak) as peak
      from cell e join sessions s on s.id = e.session_id
      where e.slot * ${slotMs} < $8::float8 ${ofModels}
      group by 1, 2
    ) cells`,
    [...entryParameters(spans, named), `{${edges}}`, edges.at(-1) ?? 0],
  );
  return rows[0]?.cells ?? [];
}
