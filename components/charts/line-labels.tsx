import { formatPercent } from '@/components/format/format-percent';
import { STATE_WORD } from '@/components/ui/state-label';
import type { PressureState } from '@/core/accounting/types';
import type { PlotFrame } from './plot-frame';
import type { ChartLine } from './prepare-lines';
import type { SumTrace } from './prepare-sums';
import { solveLabels } from './solve-labels';
import { monoWidth, sansWidth } from './text-width';

interface LineLabelsProps {
  frame: PlotFrame;
  lines: readonly ChartLine[];
  /** Traces that are named where they end. */
  sums: readonly SumTrace[];
  /** The session's pressure at the live end; null: nothing to point at. */
  current: { ratio: number; y: number; state: PressureState } | null;
  /** Labels are inside the plot, in their lines. */
  narrow: boolean;
  /** The end of the plot where the trace leaves room. */
  side: 'left' | 'right';
}

const NOTE_HEIGHT = 13;

/** Labels at the end of each line, instead of a legend. */
export function LineLabels({ frame, lines, sums, current, narrow, side }: LineLabelsProps) {
  if (narrow) return <InsideLabels frame={frame} lines={lines} sums={sums} side={side} />;
  const wishes = lines.map((line) => ({
    id: line.id as string,
    y: frame.y(line.y) - (line.note ? 7 : 0),
    below: line.note ? NOTE_HEIGHT : 0,
  }));
  if (current) wishes.push({ id: 'current', y: frame.y(current.y), below: 0 });
  const ends = sums.flatMap((sum) => (sum.y === null ? [] : [{ ...sum, y: sum.y }]));
  for (const { id, y } of ends) wishes.push({ id, y: frame.y(y), below: 0 });
  const placed = solveLabels(wishes, { gap: 14, min: frame.top - 6, max: frame.bottom });
  const x = frame.right + 16;
  return (
    <>
      {lines.map((line) => {
        const y = (placed.get(line.id) ?? 0) + 4;
        return (
          <g key={line.id}>
            <text x={x} y={y} className={`chart-label ${line.next ? 'chart-strong' : ''}`}>
              {line.name} <tspan className="chart-num">{line.amount}</tspan>
            </text>
            {line.note ? (
              <text x={x} y={y + NOTE_HEIGHT} className="chart-label chart-quiet">
                {line.note}
              </text>
            ) : null}
          </g>
        );
      })}
      {ends.map(({ id, name, amount }) => (
        <text key={id} x={x} y={(placed.get(id) ?? 0) + 4} className="chart-label chart-quiet">
          {name} <tspan className="chart-num">{amount}</tspan>
        </text>
      ))}
      {current ? (
        <text
          x={x}
          y={(placed.get('current') ?? 0) + 4}
          className="chart-label chart-state"
          data-state={current.state}
        >
          <tspan className="chart-num chart-strong">{formatPercent(current.ratio)}</tspan>
          <tspan dx={8}>{STATE_WORD[current.state]}</tspan>
        </text>
      ) : null}
    </>
  );
}

/** Height of a label's background, pixels. */
const LABEL_GAP = 13;

/** Narrow screens: each line is interrupted by its label. */
function InsideLabels({
  frame,
  lines,
  sums,
  side,
}: Pick<LineLabelsProps, 'frame' | 'lines' | 'sums' | 'side'>) {
  const wishes = lines.map((line) => ({ id: line.id as string, y: frame.y(line.y) }));
  const placed = solveLabels(wishes, { gap: LABEL_GAP, min: frame.top, max: frame.bottom });
  const x = side === 'left' ? frame.left + 6 : frame.right - 6;
  return (
    <>
      {lines.map((line) => {
        const width = sansWidth(`${line.name} `) * (line.next ? 1.06 : 1) + monoWidth(line.amount);
        return (
          <g key={line.id}>
            <rect
              x={(side === 'left' ? x : x - width) - 3}
              y={(placed.get(line.id) ?? 0) - LABEL_GAP / 2}
              width={width + 6}
              height={LABEL_GAP}
              fill="var(--paper)"
            />
            <text
              x={x}
              y={(placed.get(line.id) ?? 0) + 4}
              textAnchor={side === 'left' ? 'start' : 'end'}
              className={`chart-label ${line.next ? 'chart-strong' : ''}`}
            >
              {line.name} <tspan className="chart-num">{line.amount}</tspan>
            </text>
          </g>
        );
      })}
      {sums.map(({ id, y, name, amount }) =>
        y === null ? null : (
          <text
            key={id}
            x={frame.right - 4}
            y={Math.max(frame.top + 12, frame.y(y) - 4 - (id === 'input' ? 14 : 0))}
            textAnchor="end"
            className="chart-label chart-quiet chart-halo"
          >
            {name} <tspan className="chart-num">{amount}</tspan>
          </text>
        ),
      )}
    </>
  );
}
