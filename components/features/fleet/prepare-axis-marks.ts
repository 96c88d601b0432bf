/** What the fleet's axis names, and where: the bounds of the states where all its sessions share them. Pure. */
import type { PressureState } from '@/core/accounting/types';
import type { StateBounds } from '@/core/api/session';
import { AXIS_END } from '../../sessions/fleet-query';

export interface AxisMark {
  /** Percent of the limit. */
  at: number;
  /** The state that begins here and is written in its colour. */
  state: PressureState | null;
  word: string;
}

/** Two names closer than this would run into each other, percent of the limit. */
const APART = 8;

/** @param bounds null: sessions of projects whose bounds differ; then shares of the limit are all there is to name */
export function axisMarks(bounds: Readonly<StateBounds> | null): AxisMark[] {
  if (bounds === null) {
    return [
      { at: 0, state: null, word: '' },
      { at: 50, state: null, word: '' },
      { at: 75, state: null, word: '' },
      { at: 100, state: null, word: 'limit' },
    ];
  }
  const states = (['elevated', 'warning', 'critical', 'redlined'] as const)
    .map((state) => ({ at: Math.round(bounds[state] * 1e4) / 100, state, word: state as string }))
    .filter(({ at }) => at > 0 && at < AXIS_END && at !== 100);
  const marks: AxisMark[] = [
    { at: 0, state: null, word: 'nominal' },
    ...states.map((mark) => (mark.state === 'redlined' ? { ...mark, word: 'over limit' } : mark)),
    { at: 100, state: null, word: 'limit' },
  ].sort((a, b) => a.at - b.at);
  return marks.map((mark, index) => {
    const next = marks[index + 1];
    return next !== undefined && next.at - mark.at < APART ? { ...mark, word: '' } : mark;
  });
}
