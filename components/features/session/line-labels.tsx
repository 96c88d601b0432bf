import { crossings, firstRoom } from '../../charts/free-room';
import { monoWidth, sansWidth, solveLabels } from '../../charts/labels';
import { Label } from '../../charts/overlay';
import { formatPercent } from '../../format/format-percent';
import { STATE_WORD } from '../../ui/state-label';
import type { Sheet } from './prepare-sheet';

/** Heights of a line of text at a factor of 1, pixels. */
const NOTE_HEIGHT = 13;
const LABEL_GAP = 13;
/** Least distance of other labels from a line with a note. */
const NOTE_ROOM = 21;

export function LineLabels({ sheet }: { sheet: Sheet }) {
  const { frame, lines, sums, current, layout } = sheet;
  const ends = sums.flatMap(({ id, y, ...words }) => (y === null ? [] : [{ id, y: frame.y(y), ...words }]));
  if (layout.narrow) return <InsideLabels sheet={sheet} ends={ends} />;
  const { type } = layout;
  const pointer = current ? [{ id: 'current', y: frame.y(current.y) }] : [];
  const others = [...lines.map(({ id, y }) => ({ id, y: frame.y(y) })), ...pointer, ...ends];
  /** Only a note with room is drawn, because it would push other labels away from their lines. */
  const hasRoom = (id: string, y: number) =>
    others.every((other) => other.id === id || Math.abs(other.y - frame.y(y)) >= NOTE_ROOM * type);
  const wishes = [
    ...lines.map(({ id, y, note }) => {
      const isNoted = note !== null && hasRoom(id, y);
      return {
        id,
        y: frame.y(y) - (isNoted ? 7 * type : 0),
        below: isNoted ? NOTE_HEIGHT * type : 0,
      };
    }),
    ...pointer,
    ...ends,
  ];
  const placed = solveLabels(wishes, { gap: 14 * type, min: frame.top - 6, max: frame.bottom });
  const place = (id: string) => ({ x: frame.right + 16, y: (placed.get(id) ?? 0) + 4 * type });
  return (
    <>
      {lines.map(({ id, y, name, amount, note, next }) => (
        <g key={id}>
          <Label {...place(id)} className={next ? 'chart-strong' : ''}>
            {name} <tspan className="chart-num">{amount}</tspan>
          </Label>
          {note && hasRoom(id, y) ? (
            <Label {...place(id)} dy={NOTE_HEIGHT * type} className="chart-quiet">
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

/** Half of a mark and its distance from a label, pixels. */
const MARK_ROOM = 7;

/**
 * On a narrow screen, each label interrupts its line where it covers neither the trace nor a mark. A label without
 * room is its name or its amount alone, or is left out.
 */
function InsideLabels({ sheet, ends }: InsideLabelsProps) {
  const { frame, lines, rows, marks, forecast, nowX } = sheet;
  const wishes = lines.map(({ id, y }) => ({ id, y: frame.y(y) }));
  const placed = solveLabels(wishes, { gap: LABEL_GAP, min: frame.top, max: frame.bottom });
  const ahead = forecast === null || nowX === null ? [] : [{ from: nowX, to: frame.right }];
  const marked = marks.map(({ x }) => ({ from: x - MARK_ROOM, to: x + MARK_ROOM }));
  return (
    <>
      {lines.map(({ id, name, amount, next }) => {
        const y = placed.get(id) ?? 0;
        const band = { from: y - LABEL_GAP / 2, to: y + LABEL_GAP / 2 };
        const blocked = [...crossings(rows, frame, band), ...marked, ...ahead];
        const short = name.replace(/^client | line$/, '');
        for (const [words, shown] of [
          [`${name} `, amount],
          [`${short} `, amount],
          [name, ''],
          [short, ''],
          ['', amount],
        ] as const) {
          const width = sansWidth(words) * (next ? 1.06 : 1) + monoWidth(shown) + 6;
          const x = firstRoom(blocked, { from: frame.left + 3, to: frame.right }, width);
          if (x === null) continue;
          return (
            <g key={id}>
              <rect x={x} y={band.from} width={width} height={LABEL_GAP} fill="var(--paper)" />
              <Label x={x + 3} y={y + 4} className={next ? 'chart-strong' : ''}>
                {words}
                <tspan className="chart-num">{shown}</tspan>
              </Label>
            </g>
          );
        }
        return null;
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
