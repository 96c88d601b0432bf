/** Sub-agents on the barogram: each chain shows its own context size at the time it ran. Pure. */
import type { SeriesPoint, SubAgent } from '@/core/api/series';
import { between, type ChartScale } from './chart-scale';
import { sansWidth } from './labels';
import type { PlotFrame } from './plot-frame';
import { SegmentBuilder, type TraceSegment } from './trace-segments';

export interface AgentTrace {
  id: string;
  segments: TraceSegment[];
  peak: number;
  end: { x: number; y: number };
}

/**
 * One trace for each sub-agent with a value on the sheet. A trace ends with the sub-agent's last turn.
 * @param points of the main chain: on the turn axis, they convert a sub-agent's times to turns
 */
export function prepareAgents(
  agents: readonly SubAgent[],
  points: readonly SeriesPoint[],
  scale: ChartScale,
  domain: { from: number; to: number },
): AgentTrace[] {
  return agents.flatMap((agent) => {
    const builder = new SegmentBuilder();
    let peak = 0;
    let end: AgentTrace['end'] | null = null;
    let context: number | null = null;
    for (const point of agent.points) {
      const x = scale.axis === 'time' ? point.t : between(points, 't', point.t, 'n');
      const y = scale.y(point.used, point.limit);
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

const NAME_LETTERS = 14;
/** Space that a boundary's mark needs on each side, pixels. */
const MARK_REACH = 7;

/**
 * Place a name beside the end of each trace with room for one. The newest traces get room first.
 * @param marks x of boundaries, pixels: no name crosses a boundary
 * @param type factor of the text size
 */
export function placeAgentNames(
  agents: readonly AgentTrace[],
  frame: PlotFrame,
  marks: readonly number[],
  type: number,
) {
  const { top, bottom } = frame;
  const taken = marks.map((x) => ({ from: x - MARK_REACH, to: x + MARK_REACH, top, bottom }));
  return agents.toReversed().flatMap(({ id, end }) => {
    const text = id.length <= NAME_LETTERS ? id : `${id.slice(0, NAME_LETTERS - 1)}…`;
    const y = Math.max(top + 10, Math.min(frame.y(end.y) + 4, bottom - 4));
    for (const isLeft of [false, true]) {
      const x = frame.x(end.x) + (isLeft ? -5 : 5);
      const width = type * sansWidth(text);
      const from = isLeft ? x - width : x;
      const to = from + width;
      const isFree = taken.every(
        (other) => to < other.from || from > other.to || y < other.top || y > other.bottom,
      );
      if (!isFree || from < frame.left || to > frame.right) continue;
      taken.push({ from: from - 4, to: to + 4, top: y - 13 * type, bottom: y + 13 * type });
      return [{ id, text, x, y, isLeft }];
    }
    return [];
  });
}
