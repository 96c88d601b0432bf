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
interface Figure {
  text: string;
  value: number | null;
}

type Reading = (figures: Figures) => Figure;

const UNKNOWN: Figure = { text: 'unknown', value: null };

/** @param b null: there is only one side yet */
export function prepareFigures(a: Figures, b: Figures | null): FigureRow[] {
  const rows: FigureRow[] = [];
  const add = (name: string, read: Reading, difference: (delta: number) => string) => {
    const left = read(a);
    const right = b === null ? null : read(b);
    const delta =
      left.value === null || right === null || right.value === null ? null : right.value - left.value;
    rows.push({
      name,
      a: left.text,
      b: right?.text ?? '',
      difference: delta === null ? null : delta === 0 ? 'the same' : difference(delta),
      shares: sharesOf(left.value, right?.value ?? null),
    });
  };
  add('turns', (f) => exact(f.turns, f.complete), signed);
  add('from first to last turn', duration, (delta) => sign(delta) + formatDuration(Math.abs(delta)));
  add('peak', peak, formatTokenChange);
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

/** Lengths relative to the larger one of the row. */
function sharesOf(a: number | null, b: number | null): FigureRow['shares'] {
  const most = Math.max(a ?? 0, b ?? 0);
  const share = (value: number | null) => (value === null || most <= 0 ? null : Math.max(0, value) / most);
  return { a: share(a), b: share(b) };
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
  return { text: `${complete ? '' : '≥'}${formatExact(count)}`, value: count };
}

function tokens(count: number | null): Figure {
  return count === null ? UNKNOWN : { text: formatTokens(count, { fine: true }), value: count };
}

function share(ratio: number | null): Figure {
  return ratio === null ? UNKNOWN : { text: formatPercent(ratio), value: ratio };
}

function peak(figures: Figures): Figure {
  return figures.peak === null ? UNKNOWN : exact(figures.peak, figures.complete);
}

function duration({ firstAt, lastAt }: Figures): Figure {
  if (firstAt === null || lastAt === null) return UNKNOWN;
  const span = Date.parse(lastAt) - Date.parse(firstAt);
  return { text: formatDuration(span), value: span };
}

function crossing({ crossings, limit }: Figures, wanted: number, in_: 'turns' | 'minutes'): Figure {
  const found = crossings.find((one) => one.share === wanted);
  const value = found?.[in_] ?? null;
  if (value === null) return limit === null ? UNKNOWN : { text: 'never', value: null };
  const about = found?.rough ? '≈' : '';
  const text =
    in_ === 'turns' ? formatCount(value, 'turn') : value === 0 ? '0\u00a0s' : formatDuration(value * 60_000);
  return { text: `${about}${text}`, value };
}

/** A context is ended by one of them, or by none. */
function boundary(figures: Figures, kind: Figures['endedBy'], count: number): Figure {
  if (figures.context === null) return exact(count);
  return { text: figures.endedBy === kind ? 'ended by one' : 'none', value: null };
}
