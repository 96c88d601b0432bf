import { memo } from 'react';
import { bandOpacity, gutterBands } from '../../charts/gutter-bands';
import { Label, Overlay } from '../../charts/overlay';
import { FLAG_LEVEL_HEIGHT, type Flag } from '../../charts/prepare-marks';
import { monoWidth } from '../../charts/text-width';
import { hatchPath } from '../../charts/torn-edge';
import { BoundaryMarks } from './boundary-marks';
import { LineLabels } from './line-labels';
import type { Sheet } from './prepare-sheet';

/** Tears, flags, labels, gutter and forecast, over the traces. */
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
      {sheet.forecast && <Forecast {...sheet.forecast} right={right} />}
      {sheet.flags.map((flag) => (
        <FlagMark key={flag.id} flag={flag} top={top} selected={flag.eventId === selectedId} />
      ))}
      <path d={sheet.lines.map((line) => `M${right} ${frame.y(line.y)}h6`).join('')} stroke="var(--ink)" />
      {sheet.unit === 'percent' ? <Gutter sheet={sheet} /> : null}
      <LineLabels sheet={sheet} />
    </Overlay>
  );
});

function FlagMark({ flag, top, selected }: { flag: Flag; top: number; selected: boolean }) {
  const { x, text, note, level, isLeft } = flag;
  const y = top - 9 - level * FLAG_LEVEL_HEIGHT;
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

/** One band per state; the current one at full strength. */
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

function Forecast(props: NonNullable<Sheet['forecast']> & { right: number }) {
  const { fill, edges, middle, meets, boundaryY, label, held, right } = props;
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
            x={Math.min((meets.from + meets.to) / 2, right - monoWidth(label) / 2 - 2)}
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
