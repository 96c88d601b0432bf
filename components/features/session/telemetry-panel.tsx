'use client';
import { memo } from 'react';
import type { SeriesPoint } from '@/core/api/series';
import { Label } from '../../charts/overlay';
import { AXIS_WORDS_GAP } from '../../charts/plot-frame';
import { roundTokens } from '../../charts/prepare-axes';
import { px } from '../../charts/trace-path';
import { formatTokens } from '../../format/format-tokens';
import { PANEL_GAP, type Panel, panelAmounts, totalOf } from './prepare-panels';
import type { Sheet } from './prepare-sheet';

/** Tokens of the turns, under the barogram and on its x axis. */
export const TelemetryPanel = memo(function TelemetryPanel({ panel, sheet }: { panel: Panel; sheet: Sheet }) {
  const { layout } = sheet;
  const { frame } = panel;
  const style = { height: panel.height, marginTop: PANEL_GAP };
  if (panel.isEmpty) {
    const className = 'text-small leading-[20px] text-ink2';
    return (
      <p className={className} data-panel={panel.id} style={{ ...style, paddingLeft: frame.left }}>
        {panel.empty}
      </p>
    );
  }
  const beside = { left: frame.right + 16, width: layout.right - 16 };
  return (
    <div className="relative" data-panel={panel.id} style={style}>
      <Drawing panel={panel} xDomain={sheet.xDomain} />
      <div
        className={`text-small leading-[calc(15px*var(--ui))] text-ink2 ${layout.narrow ? 'mt-[3px]' : 'absolute top-[2px] flex flex-col'}`}
        style={layout.narrow ? undefined : beside}
      >
        <Words panel={panel} sheet={sheet} />
      </div>
    </div>
  );
});

const LABEL_GAP = 13;

/** Sticks above and below one line. */
function Drawing({ panel: { frame, sides }, xDomain }: { panel: Panel; xDomain: readonly [number, number] }) {
  const zero = frame.y(0);
  const isInside = ({ x }: { x: number }) => x >= xDomain[0] && x <= xDomain[1];
  const drawn = sides.map(({ sticks, tick }, index) => {
    const sign = index === 0 ? 1 : -1;
    const lines = sticks
      .filter(isInside)
      .map(({ x, y }) => `M${px(frame.x(x))} ${px(zero)}V${px(frame.y(sign * y))}`);
    return { tick: { value: tick, y: frame.y(sign * tick) }, sticks: lines.join('') };
  });
  const ticks = drawn.flatMap(({ tick }) =>
    tick.value > 0 && Math.abs(tick.y - zero) >= LABEL_GAP ? [tick] : [],
  );
  return (
    <svg width={frame.width} height={frame.height} className="block overflow-visible" fill="none" aria-hidden>
      <path d={ticks.map(({ y }) => `M${frame.left} ${y}H${frame.right}`).join('')} stroke="var(--hair)" />
      {[{ value: 0, y: zero }, ...ticks].map(({ value, y }) => (
        <text
          key={y}
          x={frame.left - AXIS_WORDS_GAP}
          y={y}
          dy="0.355em"
          textAnchor="end"
          className="chart-tick"
        >
          {value === 0 ? '0' : roundTokens(value)}
        </text>
      ))}
      <path d={drawn.map(({ sticks }) => sticks).join('')} stroke="var(--ink2)" strokeOpacity={0.6} />
      <path d={`M${frame.left} ${zero}H${frame.right}`} stroke="var(--ink)" />
    </svg>
  );
}

/** Beside the plot, each part has its own line. Beneath the plot, the parts form one sentence. */
function Words({ panel, sheet }: { panel: Panel; sheet: Sheet }) {
  const { sides, note, averaged } = panel;
  const amounts = panelAmounts(panel, sheet.points, sheet.session, sheet.isWhole);
  const stop = sheet.layout.narrow ? '; ' : '';
  const bars = averaged ? 'bars: mean per turn' : 'bars per turn';
  return (
    <>
      {sides.map(({ name }, index) => (
        <span key={name}>
          <span className="text-ink">
            {name} <span className="num">{formatTokens(amounts[index] ?? 0)}</span>
          </span>
          {index === 0 ? '' : ', below'}
          {stop}
        </span>
      ))}
      <span>
        {bars}
        {sheet.isWhole ? '' : ', these turns only'}
        {stop}
      </span>
      <span>{note}</span>
    </>
  );
}

interface PanelReadoutProps {
  panel: Panel;
  point: SeriesPoint;
  x: number;
  isLeft: boolean;
}

export function PanelReadout({ panel, point, x, isLeft }: PanelReadoutProps) {
  return (
    <>
      <path d={`M${x} ${panel.plotTop}V${panel.plotBottom}`} stroke="var(--ink)" strokeWidth={0.75} />
      {panel.sides.map((side, index) => {
        const spent = point[side.count] / point.turns;
        const total = totalOf(side, point);
        if (point.turns <= 0 || (spent <= 0 && total === null)) return null;
        const y = index === 0 ? panel.plotTop + 9 : panel.plotBottom - 2;
        return (
          <Label key={side.name} x={x + (isLeft ? -6 : 6)} y={y} isLeft={isLeft} className="chart-halo">
            <tspan className="chart-num">{formatTokens(spent, { fine: true })}</tspan>
            {total === null ? null : (
              <tspan dx={6} className="chart-quiet">
                <tspan className="chart-num">{formatTokens(total)}</tspan> so far
              </tspan>
            )}
          </Label>
        );
      })}
    </>
  );
}
