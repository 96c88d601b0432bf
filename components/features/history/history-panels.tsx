'use client';
import { memo } from 'react';
import type { HistoryPoint } from '@/core/api/history';
import { gutterBands } from '../../charts/gutter-bands';
import type { PlotFrame } from '../../charts/plot-frame';
import { roundTokens, valueTickLabel } from '../../charts/prepare-axes';
import { BoundaryStrip } from './boundary-strip';
import { HistoryChart } from './history-chart';
import { PeakMarks } from './peak-marks';
import { barsPath, type HistorySheet, type Slot } from './prepare-history';

/** All panels of a range. Memoised, so that the crosshair does not draw them again. */
export const HistoryPanels = memo(function HistoryPanels({ sheet }: { sheet: HistorySheet }) {
  const { xDomain, xTicks, slots, peak, boundaries, tokens, reads, share } = sheet;
  const axes = { xDomain, xTicks };
  const mirrored = (value: number) => (value === 0 ? '0' : roundTokens(Math.abs(value)));
  const tokenTick = roundDown(tokens.most);
  const readTick = roundDown(reads.most);
  return (
    <div aria-hidden="true">
      <div className="relative">
        <HistoryChart
          {...axes}
          frame={peak.frame}
          yDomain={peak.axis.domain}
          yTicks={peak.axis.ticks}
          formatY={(value) => valueTickLabel(value, 'percent')}
          line={100}
          rows={peak.rows}
          soFar={peak.soFar}
        />
        <PeakMarks sheet={sheet} bands={gutterBands(peak.axis.domain[1])} />
      </div>
      <BoundaryStrip frame={boundaries.frame} slots={slots} most={boundaries.most} />
      <HistoryChart
        {...axes}
        frame={tokens.frame}
        yDomain={[-tokens.most * 1.1, tokens.most * 1.1]}
        yTicks={tokenTick > 0 ? [tokenTick, 0, -tokenTick] : [0]}
        formatY={mirrored}
        line={0}
      >
        <Bars
          slots={slots}
          frame={tokens.frame}
          ends={({ input }) => [0, input]}
          fill="var(--ink)"
          opacity={0.75}
        />
        <Bars
          slots={slots}
          frame={tokens.frame}
          ends={({ input, cacheCreation }) => [input, input + cacheCreation]}
          fill="var(--ink3)"
          opacity={0.55}
        />
        <Bars
          slots={slots}
          frame={tokens.frame}
          ends={({ output }) => [0, -output]}
          fill="var(--ink)"
          opacity={0.75}
        />
      </HistoryChart>
      <HistoryChart
        {...axes}
        frame={reads.frame}
        yDomain={[0, reads.most * 1.12]}
        yTicks={readTick > 0 ? [0, readTick] : [0]}
        formatY={(value) => (value === 0 ? '0' : roundTokens(value))}
      >
        <Bars
          slots={slots}
          frame={reads.frame}
          ends={({ cacheRead }) => [0, cacheRead]}
          fill="var(--ink2)"
          opacity={0.6}
        />
      </HistoryChart>
      <HistoryChart
        {...axes}
        frame={share.frame}
        showsTimes
        yDomain={[0, 100]}
        yTicks={[0, 50, 100]}
        formatY={(value) => valueTickLabel(value, 'percent')}
        rows={share.rows}
        soFar={share.soFar}
        strokeWidth={1.25}
      />
    </div>
  );
});

interface BarsProps {
  slots: readonly Slot[];
  frame: PlotFrame;
  ends: (point: HistoryPoint) => readonly [from: number, to: number];
  fill: string;
  opacity: number;
}

/** Bars of one figure; paler in the slot that is not over. */
function Bars({ slots, frame, ends, fill, opacity }: BarsProps) {
  const over = slots.filter(({ partial }) => !partial);
  const soFar = slots.filter(({ partial }) => partial);
  return (
    <>
      <path d={barsPath(over, frame, ends)} fill={fill} fillOpacity={opacity} />
      {soFar.length === 0 ? null : (
        <path d={barsPath(soFar, frame, ends)} fill={fill} fillOpacity={opacity / 2} />
      )}
    </>
  );
}

/** The largest round value at or below what is drawn. */
function roundDown(most: number): number {
  if (most <= 1) return 0;
  const power = 10 ** Math.floor(Math.log10(most));
  const share = most / power;
  const round = [7.5, 5, 2.5, 2, 1.5].find((value) => share >= value) ?? 1;
  return Math.round(round * power);
}
