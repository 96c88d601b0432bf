/** The contexts of the main chain: where each begins and ends, and what there is room to say. Pure. */
import type { SeriesPoint } from '@/core/api/series';
import type { Context, Session } from '@/core/api/session';
import type { AxisKind } from '../../charts/chart-scale';
import type { Boundary } from '../../charts/list-marks';
import { formatExact, formatTokens } from '../../format/format-tokens';
import type { SessionUrl } from './session-url';

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
  /** What ended it; null: it is open. */
  end: Boundary | null;
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
  return [...boundaries, null].map((end, i) => {
    const start = boundaries[i - 1];
    const index = start?.contextAfter ?? 0;
    const context = known.get(index);
    const fromTurn = start?.turn ?? 0;
    const toTurn = end?.turn ?? points.at(-1)?.n ?? fromTurn;
    const fromAt = start?.at ?? input.firstAt;
    const toAt = Math.max(fromAt, end?.at ?? input.endAt);
    return {
      index,
      fromAt,
      toAt,
      fromX: axis === 'time' ? fromAt : fromTurn + (start ? 0.5 : 0),
      toX: axis === 'time' ? toAt : toTurn + (end ? 0.5 : 0),
      turns: end && context ? context.turnCount : Math.max(0, toTurn - fromTurn),
      peak: peakOf(input, context, end === null ? index : null),
      end,
      complete: context?.complete ?? true,
    };
  });
}

/** @param open number of the context where it is open: its turns on screen count as well */
function peakOf({ lens, points }: StripInput, context: Context | undefined, open: number | null) {
  const { input, output } = context?.cumulative ?? { input: 0, output: 0 };
  const summed = context?.tracked ? input + output : null;
  const stored = lens === 'snapshot' ? (context?.peakOccupancy ?? null) : summed;
  const seen = open === null ? [] : points.filter((point) => point.context === open).map(({ max }) => max);
  const peaks = [stored, ...seen].filter((peak) => peak !== null);
  return peaks.length === 0 ? null : Math.max(...peaks);
}

/** Whether the sheet is zoomed to a context, and the change of the address to zoom to it, or back. */
export function zoomOf(context: StripContext, url: SessionUrl, endAt: number) {
  const isShown = url.from === context.fromAt && (url.to ?? endAt) >= context.toAt;
  const from = isShown ? null : context.fromAt;
  const to = isShown || context.end === null ? null : context.toAt;
  return { isShown, change: { from, to, at: null } };
}

/** As much as fits, most important first: number, turns, peak. */
export function stripWords(context: StripContext, widthPx: number): { name: string; rest: string } {
  const { index, complete, turns, peak } = context;
  const counted = `${complete ? '' : '≥'}${formatExact(turns)} ${turns === 1 ? 'turn' : 'turns'}`;
  const peakWords = peak === null ? '' : `, peak ${formatTokens(peak)}`;
  if (widthPx >= 190) return { name: `context ${index}`, rest: `${counted}${peakWords}` };
  if (widthPx >= 84) return { name: String(index), rest: counted };
  return { name: widthPx >= 18 ? String(index) : '', rest: '' };
}

export function contextSentence(context: StripContext, clock: (at: number) => string): string {
  const { index, end, fromAt, toAt, turns, peak } = context;
  const ended = end === null ? 'open' : `ended by a ${end.kind}`;
  const peakWords = peak === null ? 'peak not known' : `peak ${formatExact(peak)} tokens`;
  return `Context ${index}: ${clock(fromAt)} to ${clock(toAt)}, ${ended}; ${formatExact(turns)} turns, ${peakWords}`;
}
