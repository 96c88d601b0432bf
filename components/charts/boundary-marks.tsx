import { type PlacedBoundary, ticksPath } from './pick-marks';
import type { PlotFrame } from './plot-frame';
import { hatchPath, tornEdgePath } from './torn-edge';

interface BoundaryMarksProps {
  frame: PlotFrame;
  marks: readonly PlacedBoundary[];
  /** Tokens to the chart's unit, by the limit of their context. */
  toUnit: (tokens: number | null, limit: number | null) => number | null;
  selectedId: string | null;
}

const STRIP = 9;

/** Where a context ended: torn hatch for a compaction, double rule for a restart, dotted rule for a clear. */
export function BoundaryMarks({ frame, marks, toUnit, selectedId }: BoundaryMarksProps) {
  const ticks = ticksPath(marks, frame.top);
  const drawn = marks.filter(({ size }) => size !== 'tick');
  return [
    ticks === '' ? null : <path key="ticks" d={ticks} stroke="var(--ink3)" strokeWidth={0.75} fill="none" />,
    ...drawn.map((mark) => {
      const { boundary, x } = mark;
      const selected = boundary.eventId !== null && boundary.eventId === selectedId;
      const before = toUnit(boundary.from, boundary.limit);
      const after = toUnit(boundary.to, boundary.limit);
      if (boundary.kind === 'compaction') {
        return (
          <Tear
            key={boundary.id}
            frame={frame}
            x={x}
            seed={boundary.id}
            before={before}
            after={after}
            slim={mark.size === 'slim'}
            selected={selected}
          />
        );
      }
      if (boundary.kind === 'restart') {
        return (
          <g key={boundary.id}>
            {mark.size === 'full' ? (
              <rect
                x={x - 2.25}
                y={frame.top}
                width={4.5}
                height={frame.bottom - frame.top}
                fill="var(--paper)"
              />
            ) : null}
            {(mark.size === 'full' ? [-1.75, 1.75] : [0]).map((offset) => (
              <line
                key={offset}
                x1={x + offset}
                x2={x + offset}
                y1={frame.top}
                y2={frame.bottom}
                stroke="var(--ink)"
                strokeWidth={selected ? 2 : 1}
              />
            ))}
          </g>
        );
      }
      return (
        <line
          key={boundary.id}
          x1={x}
          x2={x}
          y1={frame.top}
          y2={frame.bottom}
          stroke="var(--ink)"
          strokeWidth={selected ? 2 : 1}
          strokeDasharray="1 3"
        />
      );
    }),
  ];
}

interface TearProps {
  frame: PlotFrame;
  x: number;
  seed: string;
  /** In the chart's unit. */
  before: number | null;
  after: number | null;
  slim: boolean;
  selected: boolean;
}

/** The paper is torn over the full height; the hatch between before and after is what was freed. */
function Tear({ frame, x, seed, before, after, slim, selected }: TearProps) {
  const top = before === null ? null : Math.max(frame.top, frame.y(before));
  const bottom = after === null ? null : Math.min(frame.bottom, frame.y(after));
  const freed = top !== null && bottom !== null && bottom > top;
  if (slim) {
    return (
      <line
        x1={x}
        x2={x}
        y1={freed ? top : frame.top}
        y2={freed ? bottom : frame.bottom}
        stroke="var(--ink)"
        strokeWidth={0.75}
        strokeDasharray="2 2"
      />
    );
  }
  const edge = { from: frame.top, to: frame.bottom, direction: 'vertical' } as const;
  return (
    <g>
      <rect
        x={x - STRIP / 2}
        y={frame.top}
        width={STRIP}
        height={frame.bottom - frame.top}
        fill={selected ? 'var(--sunken)' : 'var(--paper)'}
      />
      {[-STRIP / 2, STRIP / 2].map((offset) => (
        <path
          key={offset}
          d={tornEdgePath({ ...edge, seed: `${seed}${offset}`, at: x + offset })}
          fill="none"
          stroke={selected ? 'var(--ink)' : 'var(--ink3)'}
          strokeWidth={0.75}
        />
      ))}
      {freed ? (
        <path
          d={hatchPath({ x: x - 4, y: top, width: 8, height: bottom - top })}
          fill="none"
          stroke="var(--ink)"
          strokeWidth={0.9}
        />
      ) : null}
    </g>
  );
}
