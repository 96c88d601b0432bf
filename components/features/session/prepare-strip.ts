/** The strip of contexts beneath the barogram: where each begins and ends, and what there is room to say. */

import type { SeriesPoint } from '@/core/api/series';
import type { Context, Session } from '@/core/api/session';
import type { AxisKind } from '../../charts/chart-scale';
import type { Boundary } from '../../charts/list-marks';
import { formatExact, formatTokens } from '../../format/format-tokens';

export interface StripContext {
  index: number;
  /** On the strip's x axis. */
  fromX: number;
  toX: number;
  /** Milliseconds: the range that a click zooms to. */
  fromAt: number;
  toAt: number;
  turns: number;
  /** Tokens of the session's lens; null: never known. */
  peak: number | null;
  endedBy: Context['endedBy'];
  /** Sums are a lower bound. */
  complete: boolean;
}

export interface StripInput {
  lens: Session['lens'];
  contexts: readonly Context[];
  boundaries: readonly Boundary[];
  points: readonly SeriesPoint[];
  axis: AxisKind;
  firstAt: number;
  /** The last turn, or now while the session is live. */
  endAt: number;
}

/** One entry per context of the main chain, oldest first. The open one is counted from the turns on screen. */
export function prepareStrip(input: StripInput): StripContext[] {
  const { boundaries, points, axis } = input;
  const known = new Map(
    input.contexts.filter(({ chain }) => chain === 'main').map((context) => [context.index, context]),
  );
  const lastPoint = points.at(-1);
  const strip: StripContext[] = [];
  for (let i = 0; i <= boundaries.length; i += 1) {
    const start = boundaries[i - 1] ?? null;
    const end = boundaries[i] ?? null;
    const index = start?.contextAfter ?? 0;
    const context = known.get(index) ?? null;
    const fromTurn = start?.turn ?? 0;
    const toTurn = end?.turn ?? lastPoint?.n ?? fromTurn;
    const fromAt = start?.at ?? input.firstAt;
    const toAt = Math.max(fromAt, end?.at ?? input.endAt);
    strip.push({
      index,
      fromAt,
      toAt,
      fromX: axis === 'time' ? fromAt : fromTurn + (start ? 0.5 : 0),
      toX: axis === 'time' ? toAt : toTurn + (end ? 0.5 : 0),
      turns: end && context ? context.turnCount : Math.max(0, toTurn - fromTurn),
      peak: peakOf(input, context, index, end === null),
      endedBy: end?.kind ?? null,
      complete: context?.complete ?? true,
    });
  }
  return strip;
}

function peakOf(
  { lens, points }: StripInput,
  context: Context | null,
  index: number,
  open: boolean,
): number | null {
  const stored =
    context === null
      ? null
      : lens === 'snapshot'
        ? context.peakOccupancy
        : context.tracked
          ? context.cumulative.input + context.cumulative.output
          : null;
  if (!open) return stored;
  return points.reduce<number | null>((peak, point) => {
    if (point.context !== index || point.max === null) return peak;
    return peak === null ? point.max : Math.max(peak, point.max);
  }, stored);
}

/**
 * As much as fits, most important first: number, turns, peak.
 * @param widthPx room for the words
 */
export function stripWords(context: StripContext, widthPx: number): { name: string; rest: string } {
  const bound = context.complete ? '' : '≥';
  const turns = `${bound}${formatExact(context.turns)} ${context.turns === 1 ? 'turn' : 'turns'}`;
  const peak = context.peak === null ? '' : `, peak ${formatTokens(context.peak)}`;
  if (widthPx >= 190) return { name: `context ${context.index}`, rest: `${turns}${peak}` };
  if (widthPx >= 84) return { name: String(context.index), rest: turns };
  return { name: widthPx >= 18 ? String(context.index) : '', rest: '' };
}

/** For hover and for those who listen: the whole sentence. */
export function contextSentence(context: StripContext, clock: (at: number) => string): string {
  const end =
    context.endedBy === null
      ? `${clock(context.toAt)}, open`
      : `${clock(context.toAt)}, ended by ${endWord(context.endedBy)}`;
  const peak = context.peak === null ? 'peak not known' : `peak ${formatExact(context.peak)} tokens`;
  return `Context ${context.index}: ${clock(context.fromAt)} to ${end}; ${formatExact(context.turns)} turns, ${peak}`;
}

function endWord(kind: NonNullable<Context['endedBy']>): string {
  return kind === 'clear' ? 'a clear' : `a ${kind}`;
}
