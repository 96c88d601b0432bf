import type { Figures } from '@/core/api/figures';
import { formatDuration } from '../../format/format-duration';
import { formatPercent } from '../../format/format-percent';
import { formatCount, formatExact, formatTokenChange, formatTokens } from '../../format/format-tokens';
import type { NamedSide } from './prepare-compare';
import { StrokeSample } from './side-head';

const HEAD = 'py-[6px] pl-[12px] text-right font-normal whitespace-nowrap max-sm:pl-[7px]';
const CELL = 'num py-[4px] pl-[12px] text-right max-sm:pl-[7px]';

/** Figures of both sides and their differences. */
export function FiguresTable({ sides }: { sides: readonly NamedSide[] }) {
  const [a, b] = sides;
  if (a === undefined) return null;
  return (
    <table className="mt-[18px] w-full border-collapse border-t border-ink max-sm:text-small">
      <caption className="sr-only">Figures of both, side by side</caption>
      <thead>
        <tr className="border-b border-hair2 text-small text-ink2">
          <th scope="col" className="py-[6px] text-left font-normal">
            figure
          </th>
          {sides.map(({ name }) => (
            <th key={name} scope="col" className={HEAD}>
              <span className="inline-flex justify-end text-ink">
                <StrokeSample name={name} />
              </span>
            </th>
          ))}
          {b === undefined ? null : (
            <>
              <th scope="col" className={HEAD}>
                B − A
              </th>
              <td className="w-[38%] py-[6px] pl-[32px] text-left max-md:hidden" aria-hidden="true">
                each row on its own scale
              </td>
            </>
          )}
        </tr>
      </thead>
      <tbody>
        {prepareFigures(a.data.figures, b?.data.figures ?? null).map((row) => (
          <tr key={row.name} className="border-b border-hair">
            <th scope="row" className="py-[4px] text-left font-normal text-ink2">
              {row.name}
            </th>
            <td className={CELL}>{row.a}</td>
            {b === undefined ? null : (
              <>
                <td className={CELL}>{row.b}</td>
                <td className={`${CELL} text-ink2`}>{row.difference ?? <NoDifference />}</td>
                <td className="pl-[32px] max-md:hidden" aria-hidden="true">
                  <Bars {...row.shares} />
                </td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A in ink, B in hatch. */
function Bars({ a, b }: { a: number | null; b: number | null }) {
  if (a === null && b === null) return null;
  const width = (share: number | null) => `${(share ?? 0) * 100}%`;
  return (
    <svg width="100%" height="14" className="block" role="presentation">
      <defs>
        <pattern id="bar-b" width="4" height="4" patternUnits="userSpaceOnUse">
          <path d="M-1 5 5-1M-1 1 1-1M3 5 5 3" stroke="var(--ink)" strokeWidth="0.9" />
        </pattern>
      </defs>
      <rect y="1" width={width(a)} height="5" fill="var(--ink)" />
      <rect y="7" width={width(b)} height="5" fill="url(#bar-b)" />
    </svg>
  );
}

function NoDifference() {
  return (
    <>
      <span aria-hidden="true">–</span>
      <span className="sr-only">no difference</span>
    </>
  );
}

/** A value as text and, for the difference, as a number; null: unknown. */
type Figure = readonly [text: string, value: number | null];

const UNKNOWN: Figure = ['unknown', null];

/** @param b null: there is only one side yet */
export function prepareFigures(a: Figures, b: Figures | null) {
  const row = (name: string, read: (f: Figures) => Figure, difference: (delta: number) => string) => {
    const [left, from] = read(a);
    const [right, to] = b === null ? ['', null] : read(b);
    const delta = from === null || to === null ? null : to - from;
    const most = Math.max(from ?? 0, to ?? 0);
    const share = (value: number | null) => (value === null || most <= 0 ? null : Math.max(0, value) / most);
    return {
      name,
      a: left,
      b: right,
      /** B minus A; null: unknown. */
      difference: delta === null ? null : delta === 0 ? 'the same' : difference(delta),
      /** Share of the larger one, 0 to 1; null: unknown. */
      shares: { a: share(from), b: share(to) },
    };
  };
  const exactly = (name: string, read: (f: Figures) => number) =>
    row(name, (f) => exact(read(f), f.complete), formatTokenChange);
  return [
    row('turns', (f) => exact(f.turns, f.complete), signed),
    row('from first to last turn', duration, (delta) => sign(delta) + formatDuration(Math.abs(delta))),
    row('peak', (f) => (f.peak === null ? UNKNOWN : exact(f.peak, f.complete)), formatTokenChange),
    row('peak, share of the limit', (f) => share(f.peakPressure), points),
    row('limit', (f) => (f.limit === null ? UNKNOWN : exact(f.limit)), formatTokenChange),
    ...a.crossings.flatMap(({ share: part }) => [
      row(`to ${formatPercent(part)}, turns`, (f) => crossing(f, part, 'turns'), signed),
      row(
        `to ${formatPercent(part)}, time`,
        (f) => crossing(f, part, 'minutes'),
        (delta) => sign(delta) + formatDuration(Math.abs(delta) * 60_000),
      ),
    ]),
    row('new tokens per turn', (f) => tokens(f.newTokensPerTurn), formatTokenChange),
    row('cache-read share', (f) => share(f.cacheReadShare), points),
    exactly('input', (f) => f.tokens.input),
    exactly('output', (f) => f.tokens.output),
    exactly('cache reads', (f) => f.tokens.cacheRead),
    exactly('cache writes', (f) => f.tokens.cacheCreation),
    row('compactions', (f) => boundary(f, 'compaction', f.compactions), signed),
    row('restarts', (f) => boundary(f, 'restart', f.restarts), signed),
    row('clears', (f) => boundary(f, 'clear', f.clears), signed),
    row('contexts', (f) => exact(f.contexts), signed),
  ];
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

/** One boundary ends a context, or none. */
function boundary(figures: Figures, kind: Figures['endedBy'], count: number): Figure {
  if (figures.context === null) return exact(count);
  return [figures.endedBy === kind ? 'ended by one' : 'none', null];
}
