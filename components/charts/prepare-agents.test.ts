import { describe, expect, it } from 'vitest';
import type { SubAgent } from '@/core/api/series';
import { chartScale } from './chart-scale';
import { plotFrame } from './plot-frame';
import { placeAgentNames, prepareAgents } from './prepare-agents';
import { pointOf } from './series-fixture';

const minute = 60_000;
const agentOf = (chain: string, ...points: [number, number | null, number?][]): SubAgent => ({
  chain,
  turnCount: points.length,
  firstAt: 0,
  lastAt: 0,
  points: points.map(([t, used, context = 0], index) => ({
    t: t * minute,
    n: index + 1,
    context,
    used,
    limit: null,
  })),
});
const points = [pointOf({ n: 10, t: 0 }), pointOf({ n: 20, t: 10 * minute })];
const prepare = (axis: 'time' | 'turns', ...agents: SubAgent[]) =>
  prepareAgents(agents, points, chartScale(axis, 'percent', 200_000), { from: 0, to: 60 * minute });
/** The points of a segment: minutes and per cent. */
const drawn = ({ points }: { points: readonly { x: number; y: number }[] }) =>
  points.map(({ x, y }) => `${x / minute},${y}`).join(' ');

describe('sub-agents on the barogram', () => {
  it('follow their own contexts on the session’s axis, and end at their last turn', () => {
    const [trace] = prepare('time', agentOf('a', [1, 20_000], [3, 60_000]));
    expect(trace).toMatchObject({ id: 'a', peak: 30, end: { x: 3 * minute, y: 30 } });
    expect(trace?.segments.map(drawn)).toEqual(['1,10 3,30']);
  });

  it('have a gap at the end of a context and at unknown values', () => {
    const agent = agentOf('a', [1, 20_000], [2, null], [3, 40_000], [4, 10_000, 1]);
    const [trace] = prepare('time', agent);
    expect(trace?.segments.map(drawn)).toEqual(['1,10 2,10', '3,20 4,20', '4,5']);
  });

  it('lie between the surrounding turns of the main chain on the turn axis', () => {
    const [trace] = prepare('turns', agentOf('a', [5, 20_000]));
    expect(trace?.end.x).toBe(15);
  });

  it('are left out if they have no value on the sheet', () => {
    const agents = [agentOf('a', [90, 20_000]), agentOf('b', [1, null]), agentOf('c')];
    expect(prepare('time', ...agents)).toEqual([]);
  });

  it('are named if there is room, the newest first', () => {
    const margin = { left: 0, right: 0, top: 0, bottom: 0 };
    const frame = plotFrame({ width: 400, margin, plotHeight: 100, xDomain: [0, 400], yDomain: [0, 100] });
    const at = (id: string, x: number) => ({ id, segments: [], peak: 50, end: { x, y: 50 } });
    const sides = (agents: ReturnType<typeof at>[], marks: number[] = []) =>
      placeAgentNames(agents, frame, marks, 1).map(({ id, isLeft }) => `${id} ${isLeft ? 'left' : 'right'}`);
    const named = sides([at('old', 100), at('new', 100), at('edge', 398), at('older', 100)]);
    expect(named).toEqual(['older right', 'edge left', 'new left']);
    expect(sides([at('torn', 100)], [120])).toEqual(['torn left']);
    expect(sides([at('torn', 100)], [80, 120])).toEqual([]);
    expect(placeAgentNames([at('a0123456789abcdef', 9)], frame, [], 1)[0]?.text).toBe('a0123456789ab…');
  });
});
