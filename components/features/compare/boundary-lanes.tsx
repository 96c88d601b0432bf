import { monoWidth } from '../../charts/labels';
import { hatchPath } from '../../charts/torn-edge';
import { formatExact, formatTokens } from '../../format/format-tokens';
import type { ComparedTrace, CompareSheet } from './prepare-compare';
import { DASH } from './side-head';

type ComparedBoundary = ComparedTrace['boundaries'][number];

const LANE = 24;
/** Width of the figures beside the sign of a boundary, pixels. */
const WORDS = 96;
/** Minimum distance between two signs, pixels. */
const SIGN_ROOM = 4;

/** The boundaries of each side as signs, one lane per side, on the sheet's axis. */
export function BoundaryLanes({ sheet }: { sheet: CompareSheet }) {
  const { frame, traces } = sheet;
  return (
    <svg
      width={frame.width}
      height={LANE * traces.length + 4}
      className="mt-[6px] block"
      role="img"
      aria-label={`Boundaries. ${traces.map(spoken).join(' ')}`}
    >
      {traces.map((trace, index) => (
        <Lane key={trace.name} trace={trace} sheet={sheet} top={index * LANE} />
      ))}
    </svg>
  );
}

function Lane({ trace, sheet, top }: { trace: ComparedTrace; sheet: CompareSheet; top: number }) {
  const { frame } = sheet;
  const middle = top + LANE / 2;

  const marks = apart(trace.boundaries.map((boundary) => ({ ...boundary, px: frame.x(boundary.x) })));
  return (
    <g fill="none">
      <text x={frame.left - 10} y={middle + 4} textAnchor="end" className="chart-label chart-strong">
        {trace.name.toUpperCase()}
      </text>
      <path
        d={`M${frame.left} ${middle}H${frame.x(trace.endX)}`}
        stroke="var(--ink2)"
        strokeWidth={1}
        strokeDasharray={DASH[trace.name]}
      />
      {marks.map((mark, index) => {
        const next = marks[index + 1]?.px ?? frame.width;
        return (
          <g key={mark.boundary.id}>
            <Sign mark={mark} middle={middle} x={mark.px} />
            {next - mark.px > WORDS ? <Words text={words(mark)} x={mark.px + 9} middle={middle} /> : null}
          </g>
        );
      })}
    </g>
  );
}

/** Leave out signs that would overlap; the last sign is always drawn. */
function apart<T extends { px: number }>(marks: readonly T[]): T[] {
  let last = Number.NEGATIVE_INFINITY;
  return marks.filter(({ px }, index) => {
    const isDrawn = px - last >= SIGN_ROOM || index === marks.length - 1;
    if (isDrawn) last = px;
    return isDrawn;
  });
}

/** With a background, so that the lane's line does not cross the letters. */
function Words({ text, x, middle }: { text: string; x: number; middle: number }) {
  return (
    <>
      <rect x={x - 3} y={middle - 7} width={monoWidth(text) + 6} height={14} fill="var(--paper)" />
      <text x={x} y={middle + 4} className="chart-label chart-num">
        {text}
      </text>
    </>
  );
}

function Sign({ mark, middle, x }: { mark: ComparedBoundary; middle: number; x: number }) {
  const top = middle - 8;
  if (mark.boundary.kind === 'compaction') {
    return (
      <>
        <rect x={x - 4.5} y={top} width={9} height={16} fill="var(--paper)" />
        <path
          d={hatchPath({ x: x - 4, y: top, width: 8, height: 16 })}
          stroke="var(--ink)"
          strokeWidth={0.9}
        />
      </>
    );
  }
  if (mark.boundary.kind === 'restart') {
    return <path d={`M${x - 1.75} ${top}v16M${x + 1.75} ${top}v16`} stroke="var(--ink)" />;
  }
  return <path d={`M${x} ${top}v16`} stroke="var(--ink)" strokeDasharray="1 3" />;
}

/** `A: after turn 93 compaction, 167 012 → 41 330 tokens.` */
function spoken({ name, boundaries }: ComparedTrace): string {
  const list = boundaries.map(({ boundary: { turn, kind, before, after } }) => {
    const [from, to] = [before, after].map((tokens) => (tokens === null ? 'unknown' : formatExact(tokens)));
    return `after turn ${formatExact(turn)} ${kind}, ${from} → ${to} tokens`;
  });
  return `${name.toUpperCase()}: ${list.join('; ') || 'none'}.`;
}

function words({ boundary: { kind, before, after } }: ComparedBoundary): string {
  if (before !== null && after !== null) return `${formatTokens(before)} → ${formatTokens(after)}`;
  return kind === 'clear' ? 'cleared' : kind;
}
