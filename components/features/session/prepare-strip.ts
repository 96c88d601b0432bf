/** The contexts of the main chain: start and end, and the words that fit on the strip. Pure. */
import type { SeriesPoint } from '@/core/api/series';
import type { Context, Session } from '@/core/api/session';
import type { Boundary } from '../../charts/list-marks';
import { formatExact, formatTokens } from '../../format/format-tokens';
import type { SessionUrl } from './session-url';

export type ContextSpan = ReturnType<typeof listSpans>[number];

/** One span per context, oldest first; at least one. Points give the turns and the end of the open context. */
export function listSpans(
  { lens, startedAt }: Pick<Session, 'lens' | 'startedAt'>,
  contexts: readonly Context[],
  boundaries: readonly Boundary[],
  points: readonly SeriesPoint[],
) {
  const known = new Map(contexts.map((context) => [context.index, context]));
  const firstAt = points[0]?.t ?? Date.parse(startedAt);
  const last = points.at(-1);
  return [...boundaries, null].map((end, i) => {
    const start = boundaries[i - 1];
    const index = start?.contextAfter ?? 0;
    const context = known.get(index);
    const fromAt = start?.at ?? firstAt;
    const fromTurn = start?.turn ?? 0;
    const toTurn = end?.turn ?? last?.n ?? fromTurn;
    const { input, output } = context?.cumulative ?? { input: 0, output: 0 };
    const summed = context?.tracked ? input + output : null;
    const seen = end ? [] : points.filter((point) => point.context === index).map(({ max }) => max);
    const stored = lens === 'snapshot' ? (context?.peakOccupancy ?? null) : summed;
    const peaks = [stored, ...seen].filter((peak) => peak !== null);
    return {
      index,
      fromAt,
      toAt: Math.max(fromAt, end?.at ?? last?.t ?? 0),
      /** A boundary lies between two turns. */
      fromTurn: start ? fromTurn + 0.5 : 0,
      toTurn: toTurn + (end ? 0.5 : 0),
      turns: end && context ? context.turnCount : Math.max(0, toTurn - fromTurn),
      /** Tokens of the session's lens; null: never known. */
      peak: peaks.length === 0 ? null : Math.max(...peaks),
      end,
      /** False: turns and sums are lower bounds. */
      complete: context?.complete ?? true,
    };
  });
}

/** Whether the sheet is zoomed to a context, and the URL parameters that zoom in or out. */
export function zoomOf({ fromAt, toAt, end }: ContextSpan, url: Pick<SessionUrl, 'from' | 'to'>) {
  const to = end === null ? null : toAt;
  const isShown = url.from === fromAt && url.to === to;
  return { isShown, change: { from: isShown ? null : fromAt, to: isShown ? null : to, at: null } };
}

/** The words that fit, most important first: number, turns, peak. */
export function stripWords({ index, complete, turns, peak }: ContextSpan, widthPx: number) {
  const counted = `${complete ? '' : '≥'}${formatExact(turns)} ${turns === 1 ? 'turn' : 'turns'}`;
  const peakWords = peak === null ? '' : `, peak ${formatTokens(peak)}`;
  if (widthPx >= 190) return { name: `context ${index}`, rest: `${counted}${peakWords}` };
  if (widthPx >= 84) return { name: String(index), rest: counted };
  return { name: widthPx >= 18 ? String(index) : '', rest: '' };
}
