import type { PlacedBoundary } from '../../charts/prepare-marks';
import { hatchPath, tornEdgePath } from '../../charts/torn-edge';
import type { Sheet } from './prepare-sheet';

const STRIP = 9;
/** Ticks closer than this are one, pixels. */
const TICK_DISTANCE = 2;

/** Where a context ended: torn hatch for a compaction, double rule for a restart, dotted rule for a clear. */
export function BoundaryMarks({ sheet, selectedId }: { sheet: Sheet; selectedId: string | null }) {
  const { marks, frame } = sheet;
  const ticks = marks.filter(({ size }) => size === 'tick').map(({ x }) => x);
  return (
    <>
      <path
        d={joinClose(ticks, TICK_DISTANCE, (x) => `M${x} ${frame.top}v6`)}
        stroke="var(--ink3)"
        strokeWidth={0.75}
      />
      {marks.map((mark) => {
        const { id, eventId, kind } = mark.boundary;
        const selected = eventId !== null && eventId === selectedId;
        if (mark.size === 'tick') return null;
        const Mark = kind === 'compaction' ? Tear : Rules;
        return <Mark key={id} sheet={sheet} mark={mark} selected={selected} />;
      })}
    </>
  );
}

/** Strokes at ascending places as one path; of places closer than `distance` only the first. */
export function joinClose(places: readonly number[], distance: number, stroke: (x: number) => string) {
  let last = Number.NEGATIVE_INFINITY;
  const strokes = places.map((x) => {
    if (x - last < distance) return '';
    last = x;
    return stroke(Math.round(x * 100) / 100);
  });
  return strokes.join('');
}

interface MarkProps {
  sheet: Sheet;
  mark: PlacedBoundary;
  selected: boolean;
}

function Rules({ sheet: { frame }, mark: { boundary, x, size }, selected }: MarkProps) {
  const { top, bottom } = frame;
  const isDouble = boundary.kind === 'restart' && size === 'full';
  return (
    <g>
      {isDouble ? <rect x={x - 2.25} y={top} width={4.5} height={bottom - top} fill="var(--paper)" /> : null}
      <path
        d={(isDouble ? [-1.75, 1.75] : [0]).map((offset) => `M${x + offset} ${top}V${bottom}`).join('')}
        stroke="var(--ink)"
        strokeWidth={selected ? 2 : 1}
        strokeDasharray={boundary.kind === 'clear' ? '1 3' : undefined}
      />
    </g>
  );
}

/** The paper is torn over the full height; the hatch between before and after shows the freed tokens. */
function Tear({ sheet: { frame, scale }, mark: { boundary, x, size }, selected }: MarkProps) {
  const { id, from, to, limit } = boundary;
  const [before, after] = [scale.y(from, limit), scale.y(to, limit)];
  const top = before === null ? frame.bottom : Math.max(frame.top, frame.y(before));
  const bottom = after === null ? frame.top : Math.min(frame.bottom, frame.y(after));
  const freed = bottom > top;
  if (size === 'slim') {
    const [start, end] = freed ? [top, bottom] : [frame.top, frame.bottom];
    return <path d={`M${x} ${start}V${end}`} stroke="var(--ink)" strokeWidth={0.75} strokeDasharray="2 2" />;
  }
  const edge = { from: frame.top, to: frame.bottom, direction: 'vertical' } as const;
  const edges = [-STRIP / 2, STRIP / 2].map((offset) =>
    tornEdgePath({ ...edge, seed: `${id}${offset}`, at: x + offset }),
  );
  const hatch = hatchPath({ x: x - 4, y: top, width: 8, height: bottom - top });
  return (
    <g fill="none">
      <rect
        x={x - STRIP / 2}
        y={frame.top}
        width={STRIP}
        height={frame.bottom - frame.top}
        fill={selected ? 'var(--sunken)' : 'var(--paper)'}
      />
      <path d={edges.join('')} stroke={selected ? 'var(--ink)' : 'var(--ink3)'} strokeWidth={0.75} />
      {freed ? <path d={hatch} stroke="var(--ink)" strokeWidth={0.9} /> : null}
    </g>
  );
}
