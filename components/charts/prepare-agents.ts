/** Sub-agents on the barogram: each chain by its own context, at the time it ran. Pure. */
import type { SeriesPoint, SubAgent } from '@/core/api/series';
import { type AxisKind, toUnit, type ValueUnit } from './chart-scale';
import type { PlotFrame } from './plot-frame';
import { sansWidth } from './text-width';
import { SegmentBuilder, type TraceSegment } from './trace-segments';

export interface AgentTrace {
  /** Key of its chain. */
  id: string;
  segments: TraceSegment[];
  peak: number;
  /** Its last value on the sheet, in the chart's unit. */
  end: { x: number; y: number };
}

export interface AgentsInput {
  agents: readonly SubAgent[];
  /** Points of the main chain: over turns, a sub-agent is placed between the turns it ran between. */
  points: readonly SeriesPoint[];
  axis: AxisKind;
  unit: ValueUnit;
  /** Limit of turns that state none, tokens. */
  limit: number | null;
  domain: { from: number; to: number };
}

/** One per sub-agent that has a value on the sheet. It ends with its last turn. */
export function prepareAgents({ agents, points, axis, unit, limit, domain }: AgentsInput): AgentTrace[] {
  return agents.flatMap((agent) => {
    const builder = new SegmentBuilder();
    let peak = 0;
    let end: AgentTrace['end'] | null = null;
    let context: number | null = null;
    for (const point of agent.points) {
      const x = axis === 'time' ? point.t : turnAt(points, point.t);
      const y = toUnit(point.used, point.limit ?? limit, unit);
      if (y === null || point.context !== context) builder.end(x);
      if (y !== null) {
        if (builder.kind === null) builder.begin('ink', point.context, x, y);
        else builder.step(x, y);
        if (x >= domain.from && x <= domain.to) {
          peak = Math.max(peak, y);
          end = { x, y };
        }
      }
      context = point.context;
    }
    return end === null ? [] : [{ id: agent.chain, segments: builder.segments, peak, end }];
  });
}

/** A moment as a fraction of the main chain's turns. */
function turnAt(points: readonly SeriesPoint[], at: number): number {
  const index = points.findIndex((point) => point.t >= at);
  const after = points[index];
  const before = index === -1 ? points.at(-1) : points[index - 1];
  if (!before) return after?.n ?? 0;
  if (!after || after.t <= before.t) return before.n;
  return before.n + ((at - before.t) / (after.t - before.t)) * (after.n - before.n);
}

const NAME_LETTERS = 14;

/** The beginning of a chain's key is enough to recognise it. */
export function agentName(chain: string): string {
  const letters = Array.from(chain);
  return letters.length <= NAME_LETTERS ? chain : `${letters.slice(0, NAME_LETTERS - 1).join('')}…`;
}

interface AgentPlace {
  id: string;
  text: string;
  /** Pixels. */
  x: number;
  y: number;
  /** The name is at the left of its place. */
  isLeft: boolean;
}

/** Marks of boundaries are so wide to either side, pixels. */
const MARK_REACH = 7;

/**
 * A name at the end of each trace that has room for one, at its right or its left; the newest come first.
 * @param marks x of boundaries, pixels: no name crosses one
 */
export function placeAgentNames(
  agents: readonly AgentTrace[],
  frame: PlotFrame,
  marks: readonly number[],
): AgentPlace[] {
  const placed: Array<AgentPlace & { from: number; to: number }> = [];
  for (const { id, end } of agents.toReversed()) {
    const text = agentName(id);
    const width = sansWidth(text);
    const x = frame.x(end.x);
    const places = [false, true].map((isLeft) => ({
      id,
      text,
      isLeft,
      x: isLeft ? x - 5 : x + 5,
      y: Math.max(frame.top + 10, Math.min(frame.y(end.y) + 4, frame.bottom - 4)),
      from: isLeft ? x - 5 - width : x + 5,
      to: isLeft ? x - 5 : x + 5 + width,
    }));
    const free = places.find(
      ({ from, to, y }) =>
        from >= frame.left &&
        to <= frame.right &&
        marks.every((mark) => mark + MARK_REACH < from || mark - MARK_REACH > to) &&
        placed.every((other) => Math.abs(other.y - y) >= 13 || from > other.to + 4 || to < other.from - 4),
    );
    if (free) placed.push(free);
  }
  return placed.map(({ id, text, x, y, isLeft }) => ({ id, text, x, y, isLeft }));
}
