import { memo } from 'react';
import { bandOpacity, gutterBands } from '../../charts/gutter-bands';
import { monoWidth } from '../../charts/labels';
import { Label, Overlay } from '../../charts/overlay';
import { FLAG_LEVEL_HEIGHT, type Flag, type PlacedBoundary } from '../../charts/prepare-marks';
import { hatchPath, tornEdgePath } from '../../charts/torn-edge';
import { LineLabels } from './line-labels';
import type { Sheet } from './prepare-sheet';

export const BarogramMarks = memo(function BarogramMarks(props: { sheet: Sheet; selectedId: string | null }) {
  const { sheet, selectedId } = props;
  const { frame, nowX, selectedX } = sheet;
  const { top, bottom, right } = frame;
  return (
    <Overlay width={frame.width} height={frame.height}>
      {nowX === null ? null : (
        <>
          <path d={`M${nowX} ${top}V${bottom}`} stroke="var(--hair2)" />
          <text x={nowX} y={bottom + 14} dy="0.71em" textAnchor="middle" className="chart-label chart-num">
            now
          </text>
        </>
      )}
      {sheet.untracked.map(({ from, to }) => (
        <Untracked key={from} from={from} to={to} bottom={bottom} />
      ))}
      {selectedX === null ? null : (
        <g fill="var(--ink)">
          <path
            d={`M${selectedX} ${top}V${bottom}`}
            stroke="var(--ink)"
            strokeWidth={0.75}
            strokeDasharray="2 3"
          />
          <path d={`M${selectedX - 4} ${top - 6}h8l-4 6z`} />
        </g>
      )}
      <BoundaryMarks sheet={sheet} selectedId={selectedId} />
      <path
        d={sheet.singles.map(({ x, y }) => `M${x - 1} ${y}h6`).join('')}
        stroke="var(--ink)"
        strokeWidth={1.75}
      />
      {sheet.unknowns.map(({ x, y, label }) => (
        <Label key={x} x={x} y={y} className="chart-quiet chart-halo">
          {label}
        </Label>
      ))}
      {sheet.forecast && <Forecast {...sheet.forecast} right={right} type={sheet.layout.type} />}
      {sheet.flags.map((flag) => (
        <FlagMark
          key={flag.id}
          flag={flag}
          top={top}
          type={sheet.layout.type}
          selected={flag.eventId === selectedId}
        />
      ))}
      <path d={sheet.lines.map((line) => `M${right} ${frame.y(line.y)}h6`).join('')} stroke="var(--ink)" />
      {sheet.unit === 'percent' ? <Gutter sheet={sheet} /> : null}
      <LineLabels sheet={sheet} />
    </Overlay>
  );
});

interface FlagMarkProps {
  flag: Flag;
  top: number;
  /** Factor of the text size. */
  type: number;
  selected: boolean;
}

function FlagMark({ flag, top, type, selected }: FlagMarkProps) {
  const { x, text, note, level, isLeft } = flag;
  const y = top - 9 - level * FLAG_LEVEL_HEIGHT * type;
  return (
    <g>
      <path d={`M${x} ${top}V${y - 3}`} stroke="var(--ink)" strokeWidth={selected ? 1.75 : 1} />
      <Label x={x + (isLeft ? -5 : 5)} y={y + 2} isLeft={isLeft}>
        <tspan className={`chart-num ${selected ? 'chart-strong' : ''}`}>{text}</tspan>
        {note ? (
          <tspan dx={text ? 6 : 0} className="chart-quiet">
            {note}
          </tspan>
        ) : null}
      </Label>
    </g>
  );
}

function Gutter({ sheet: { frame, valueAxis, session, current } }: { sheet: Sheet }) {
  return (
    <>
      {gutterBands(valueAxis.domain[1], session.bounds).map(({ state, from, to }) => (
        <rect
          key={state}
          data-state={state}
          x={frame.right}
          y={frame.y(to) + 0.5}
          width={6}
          height={Math.max(0, frame.y(from) - frame.y(to) - 1)}
          fill="var(--state)"
          opacity={bandOpacity(state, session.state)}
        />
      ))}
      {current && (
        <path
          data-state={current.state}
          d={`M${frame.right + 7} ${frame.y(current.y)}l6 -3.5v7z`}
          fill="var(--state)"
        />
      )}
    </>
  );
}

function Forecast(props: NonNullable<Sheet['forecast']> & { right: number; type: number }) {
  const { fill, edges, middle, meets, boundaryY, label, held, right, type } = props;
  const colour = held ? 'var(--ink3)' : 'var(--mark)';
  return (
    <g stroke={colour} fill="none">
      <path d={fill} fill={colour} fillOpacity={0.12} stroke="none" />
      <path d={edges} strokeWidth={0.75} strokeDasharray="2 2" />
      <path d={middle} strokeWidth={1} />
      {meets === null ? null : (
        <>
          <path d={`M${meets.from} ${boundaryY}H${meets.to}`} strokeWidth={3.5} />
          <text
            x={Math.min((meets.from + meets.to) / 2, right - (type * monoWidth(label)) / 2 - 2)}
            y={boundaryY - 7}
            textAnchor="middle"
            className="chart-label chart-num chart-strong chart-halo"
          >
            {label}
          </text>
        </>
      )}
    </g>
  );
}

function Untracked({ from, to, bottom }: { from: number; to: number; bottom: number }) {
  const box = { x: from, y: bottom - 7, width: to - from, height: 7 };
  return (
    <g stroke="var(--ink3)" strokeWidth={0.75}>
      <rect {...box} fill="var(--paper)" />
      <path d={hatchPath({ ...box, spacing: 5 })} fill="none" />
      <Label x={from + 2} y={bottom - 12} className="chart-quiet chart-halo">
        not tracked
      </Label>
    </g>
  );
}

const STRIP = 9;
const TICK_DISTANCE = 2;

/** Ends of contexts: torn hatch for a compaction, double rule for a restart, dotted rule for a clear. */
function BoundaryMarks({ sheet, selectedId }: { sheet: Sheet; selectedId: string | null }) {
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

/** Strokes at ascending places as one path. A place closer than `distance` to the last stroke gets no stroke. */
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

/** A tear over the full height. The hatch between the sizes before and after shows the freed tokens. */
function Tear({ sheet: { frame, scale }, mark: { boundary, x, size }, selected }: MarkProps) {
  const { id, from, to } = boundary;
  const [before, after] = [scale.y(from), scale.y(to)];
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
