import type postgres from 'postgres';
import {
  DEFAULT_GROUPS,
  type History,
  type HistoryGroup,
  type HistoryParameters,
  type HistoryPoint,
} from '../../../core/api/history';
import type { HistoryGrouping } from '../../../core/history/groupings';
import { chooseSlotSize, SLOT_SIZES, type SlotSize, STORED_MS, slotEdges } from '../../../core/history/slots';
import { InvalidParameterError } from '../invalid-parameter-error';
import {
  countStoredTurns,
  type HistoryCell,
  type HistoryScope,
  readHistoryScope,
  sumStored,
  sumTurns,
} from './history-cells';
import { addFigures, noFigures, type Sums, withCacheShare } from './history-figures';

const DAY_MS = 86_400_000;
const MOST_SLOTS = 2_000;
/** Maximum number of turns that are counted one by one for buckets shorter than the stored buckets. */
const MOST_TURNS = 50_000;

/** @throws InvalidParameterError for too many buckets, or too many turns in short buckets */
export async function loadHistory(
  sql: postgres.Sql,
  parameters: HistoryParameters,
  nowMs: number,
): Promise<History> {
  const { zone = 'UTC', by = null, groups: wanted = DEFAULT_GROUPS } = parameters;
  const range = historyRange(parameters, nowMs);
  const scope = await readHistoryScope(sql, parameters);
  const bucket = await chooseBucket(sql, scope, range, parameters.bucket ?? 'auto');
  const edges = slotEdges(range.from, range.to, bucket, zone);
  const sum = SLOT_SIZES[bucket] < STORED_MS ? sumTurns : sumStored;
  const cells = await sum(sql, scope, edges, by);
  const all = gather(cells, null).get(0);
  return {
    from: iso(edges[0]),
    to: iso(edges.at(-1)),
    zone,
    bucket,
    by,
    total: withCacheShare(all?.total ?? noFigures()),
    points: all ? pointsOf(all, edges) : [],
    groups: by === null ? [] : await nameGroups(sql, by, gather(cells, by), edges, wanted),
  };
}

/** The requested range, milliseconds; default the last day. */
export function historyRange(
  { from, to }: Pick<HistoryParameters, 'from' | 'to'>,
  nowMs: number,
): { from: number; to: number } {
  const end = to ?? Math.max(nowMs, from ?? 0);
  return { from: from ?? Math.max(0, end - DAY_MS), to: end };
}

async function chooseBucket(
  sql: postgres.Sql,
  scope: HistoryScope,
  { from, to }: { from: number; to: number },
  asked: SlotSize | 'auto',
): Promise<SlotSize> {
  const size = asked === 'auto' ? chooseSlotSize(from, to) : asked;
  if ((to - from) / SLOT_SIZES[size] > MOST_SLOTS) {
    throw new InvalidParameterError('bucket', `would give more than ${MOST_SLOTS} buckets in this range`);
  }
  if (SLOT_SIZES[size] >= STORED_MS) return size;
  if ((await countStoredTurns(sql, scope, from, to)) <= MOST_TURNS) return size;
  if (asked === 'auto') return '15m';
  throw new InvalidParameterError('bucket', `is too short for more than ${MOST_TURNS} turns: request 15m`);
}

interface Gathered {
  id: number;
  total: Sums;
  slots: Map<number, Sums>;
}

/** Totals and slots of each group; without `by`, of a single group. */
function gather(cells: readonly HistoryCell[], by: HistoryGrouping | null): Map<number, Gathered> {
  const groups = new Map<number, Gathered>();
  for (const [slot, group, peak, ...sums] of cells) {
    const id = by === null ? 0 : group;
    const known = groups.get(id) ?? { id, total: noFigures(), slots: new Map() };
    groups.set(id, known);
    const ofSlot = known.slots.get(slot) ?? noFigures();
    known.slots.set(slot, ofSlot);
    for (const to of [known.total, ofSlot]) addFigures(to, sums, peak);
  }
  return groups;
}

function pointsOf({ slots }: Gathered, edges: readonly number[]): HistoryPoint[] {
  return [...slots]
    .sort(([a], [b]) => a - b)
    .map(([slot, figures]) => ({
      from: iso(edges[slot]),
      to: iso(edges[slot + 1]),
      ...withCacheShare(figures),
    }));
}

async function nameGroups(
  sql: postgres.ISql,
  by: HistoryGrouping,
  gathered: ReadonlyMap<number, Gathered>,
  edges: readonly number[],
  wanted: number,
): Promise<HistoryGroup[]> {
  const names = await readNames(sql, by, [...gathered.keys()]);
  return [...gathered.values()]
    .sort((a, b) => b.total.turns - a.total.turns || a.id - b.id)
    .map((group, index) => ({
      name: names.get(group.id)?.name ?? null,
      project: names.get(group.id)?.project ?? null,
      total: withCacheShare(group.total),
      points: index < wanted ? pointsOf(group, edges) : null,
    }));
}

interface GroupName {
  id: number;
  name: string;
  project: string | null;
}

async function readNames(
  sql: postgres.ISql,
  by: HistoryGrouping,
  ids: readonly number[],
): Promise<ReadonlyMap<number, GroupName>> {
  const source = {
    project: sql`select id, name, null as project from projects`,
    runner: sql`select r.id, r.name, p.name as project from runners r join projects p on p.id = r.project_id`,
    model: sql`select id, name, null as project from models`,
  }[by];
  const rows = await sql<GroupName[]>`select * from (${source}) g where id = any(${`{${ids}}`}::text::int[])`;
  return new Map(rows.map((row) => [row.id, row]));
}

function iso(at: number | undefined): string {
  return new Date(at ?? 0).toISOString();
}
