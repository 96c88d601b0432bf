/** The figures of two sides and their differences. Pure. */
import type { Figures } from '@/core/api/figures';
import { formatDuration } from '../../format/format-duration';
import { formatPercent } from '../../format/format-percent';
import { formatCount, formatExact, formatTokenChange, formatTokens } from '../../format/format-tokens';

export interface FigureRow {
  name: string;
  a: string;
  b: string;
  /** B minus A; null: unknown. */
  difference: string | null;
  /** Share of the larger one, 0 to 1; null: unknown. */
  shares: { a: number | null; b: number | null };
}

/** A value as text, and as the number a difference is taken of; null: not known. */
type Figure = readonly [text: string, value: number | null];

const UNKNOWN: Figure = ['unknown', null];

/** @param b null: there is only one side yet */
export function prepareFigures(a: Figures, b: Figures | null): FigureRow[] {
  const rows: FigureRow[] = [];
  const add = (name: string, read: (f: Figures) => Figure, difference: (delta: number) => string) => {
    const [left, from] = read(a);
    const [right, to] = b === null ? ['', null] : read(b);
    const delta = from === null || to === null ? null : to - from;
    const most = Math.max(from ?? 0, to ?? 0);
    const share = (value: number | null) => (value === null || most <= 0 ? null : Math.max(0, value) / most);
    rows.push({
      name,
      a: left,
      b: right,
      difference: delta === null ? null : delta === 0 ? 'the same' : difference(delta),
      shares: { a: share(from), b: share(to) },
    });
  };
  add('turns', (f) => exact(f.turns, f.complete), signed);
  add('from first to last turn', duration, (delta) => sign(delta) + formatDuration(Math.abs(delta)));
  add('peak', (f) => (f.peak === null ? UNKNOWN : exact(f.peak, f.complete)), formatTokenChange);
  add('peak, share of the limit', (f) => share(f.peakPressure), points);
  add('limit', (f) => (f.limit === null ? UNKNOWN : exact(f.limit)), formatTokenChange);
  for (const { share: part } of a.crossings) {
    const name = `to ${formatPercent(part)}`;
    add(`${name}, turns`, (f) => crossing(f, part, 'turns'), signed);
    add(
      `${name}, time`,
      (f) => crossing(f, part, 'minutes'),
      (delta) => sign(delta) + formatDuration(Math.abs(delta) * 60_000),
    );
  }
  add('new tokens per turn', (f) => tokens(f.newTokensPerTurn), formatTokenChange);
  add('cache-read share', (f) => share(f.cacheReadShare), points);
  add('input', (f) => exact(f.tokens.input, f.complete), formatTokenChange);
  add('output', (f) => exact(f.tokens.output, f.complete), formatTokenChange);
  add('cache reads', (f) => exact(f.tokens.cacheRead, f.complete), formatTokenChange);
  add('cache writes', (f) => exact(f.tokens.cacheCreation, f.complete), formatTokenChange);
  add('compactions', (f) => boundary(f, 'compaction', f.compactions), signed);
  add('restarts', (f) => boundary(f, 'restart', f.restarts), signed);
  add('clears', (f) => boundary(f, 'clear', f.clears), signed);
  add('contexts', (f) => exact(f.contexts), signed);
  return rows;
}

const sign = (delta: number) => (delta < 0 ? '\u2212' : '+');
const signed = (delta: number) => (delta > 0 ? `+${formatExact(delta)}` : formatExact(delta));

/** Percentage points, one decimal. */
function points(delta: number): string {
  const size = Math.abs(delta * 100);
  const text = size < 0.05 ? '<0.1' : size.toFixed(1);
  return `${sign(delta)}${text}\u00a0points`;
}

function exact(count: number, complete = true): Figure {
  return [`${complete ? '' : '≥'}${formatExact(count)}`, count];
}

function tokens(count: number | null): Figure {
  return count === null ? UNKNOWN : [formatTokens(count, { fine: true }), count];
}

function share(ratio: number | null): Figure {
  return ratio === null ? UNKNOWN : [formatPercent(ratio), ratio];
}

function duration({ firstAt, lastAt }: Figures): Figure {
  if (firstAt === null || lastAt === null) return UNKNOWN;
  const span = Date.parse(lastAt) - Date.parse(firstAt);
  return [formatDuration(span), span];
}

function crossing({ crossings, limit }: Figures, wanted: number, in_: 'turns' | 'minutes'): Figure {
  const found = crossings.find((one) => one.share === wanted);
  const value = found?.[in_] ?? null;
  if (value === null) return limit === null ? UNKNOWN : ['never', null];
  const text =
    in_ === 'turns' ? formatCount(value, 'turn') : value === 0 ? '0\u00a0s' : formatDuration(value * 60_000);
  return [`${found?.rough ? '≈' : ''}${text}`, value];
}

/** A context is ended by one of them, or by none. */
function boundary(figures: Figures, kind: Figures['endedBy'], count: number): Figure {
  if (figures.context === null) return exact(count);
  return [figures.endedBy === kind ? 'ended by one' : 'none', null];
}
