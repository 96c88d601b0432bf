import { monoWidth, sansWidth, solveLabels } from '../../charts/labels';
import { Label } from '../../charts/overlay';
import { formatPercent } from '../../format/format-percent';
import { STATE_WORD } from '../../ui/state-label';
import type { Sheet } from './prepare-sheet';

const NOTE_HEIGHT = 13;
const LABEL_GAP = 13;

export function LineLabels({ sheet }: { sheet: Sheet }) {
  const { frame, lines, sums, current, layout } = sheet;
  const ends = sums.flatMap(({ id, y, ...words }) => (y === null ? [] : [{ id, y: frame.y(y), ...words }]));
  if (layout.narrow) return <InsideLabels sheet={sheet} ends={ends} />;
  const wishes = [
    ...lines.map(({ id, y, note }) => ({
      id,
      y: frame.y(y) - (note ? 7 : 0),
      below: note ? NOTE_HEIGHT : 0,
    })),
    ...(current ? [{ id: 'current', y: frame.y(current.y) }] : []),
    ...ends,
  ];
  const placed = solveLabels(wishes, { gap: 14, min: frame.top - 6, max: frame.bottom });
  const place = (id: string) => ({ x: frame.right + 16, y: (placed.get(id) ?? 0) + 4 });
  return (
    <>
      {lines.map(({ id, name, amount, note, next }) => (
        <g key={id}>
          <Label {...place(id)} className={next ? 'chart-strong' : ''}>
            {name} <tspan className="chart-num">{amount}</tspan>
          </Label>
          {note ? (
            <Label {...place(id)} dy={NOTE_HEIGHT} className="chart-quiet">
              {note}
            </Label>
          ) : null}
        </g>
      ))}
      {ends.map(({ id, name, amount }) => (
        <Label key={id} {...place(id)} className="chart-quiet">
          {name} <tspan className="chart-num">{amount}</tspan>
        </Label>
      ))}
      {current && (
        <Label {...place('current')} className="chart-state" data-state={current.state}>
          <tspan className="chart-num chart-strong">{formatPercent(current.ratio)}</tspan>
          <tspan dx={8}>{STATE_WORD[current.state]}</tspan>
        </Label>
      )}
    </>
  );
}

interface InsideLabelsProps {
  sheet: Sheet;
  ends: ReadonlyArray<Omit<Sheet['sums'][number], 'y' | 'segments' | 'peak'> & { y: number }>;
}

/** On a narrow screen, each label interrupts its line at the left, where most traces are low. */
function InsideLabels({ sheet: { frame, lines }, ends }: InsideLabelsProps) {
  const wishes = lines.map(({ id, y }) => ({ id, y: frame.y(y) }));
  const placed = solveLabels(wishes, { gap: LABEL_GAP, min: frame.top, max: frame.bottom });
  const x = frame.left + 6;
  return (
    <>
      {lines.map(({ id, name, amount, next }) => {
        const y = placed.get(id) ?? 0;
        const width = sansWidth(`${name} `) * (next ? 1.06 : 1) + monoWidth(amount);
        return (
          <g key={id}>
            <rect x={x - 3} y={y - LABEL_GAP / 2} width={width + 6} height={LABEL_GAP} fill="var(--paper)" />
            <Label x={x} y={y + 4} className={next ? 'chart-strong' : ''}>
              {name} <tspan className="chart-num">{amount}</tspan>
            </Label>
          </g>
        );
      })}
      {ends.map(({ id, y, name, amount }) => {
        const top = Math.max(frame.top + 12, y - 4 - (id === 'input' ? 14 : 0));
        return (
          <Label key={id} x={frame.right - 4} y={top} isLeft className="chart-quiet chart-halo">
            {name} <tspan className="chart-num">{amount}</tspan>
          </Label>
        );
      })}
    </>
  );
}
