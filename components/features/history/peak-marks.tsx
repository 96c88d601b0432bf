import { stateOf } from '@/core/accounting/state';
import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import type { GutterBand } from '../../charts/gutter-bands';
import { formatPercent } from '../../format/format-percent';
import { type HistorySheet, round } from './prepare-history';

interface PeakMarksProps {
  sheet: HistorySheet;
  bands: readonly GutterBand[];
}

/** The states at the right edge, that of the highest peak in full strength, and the peak by its figure. */
export function PeakMarks({ sheet, bands }: PeakMarksProps) {
  const { frame, axis, highest } = sheet.peak;
  const peak = highest?.point.peak ?? null;
  const state = stateOf(peak, DEFAULT_THRESHOLDS);
  const x = highest === null ? 0 : frame.x((highest.from + highest.to) / 2);
  const y = peak === null ? 0 : frame.y(Math.min(peak * 100, axis.domain[1]));
  const isLeft = x > frame.right - 60;
  return (
    <svg
      width={frame.width}
      height={frame.height}
      data-state={state}
      className="pointer-events-none absolute inset-0 overflow-visible"
      aria-hidden="true"
    >
      {bands.map((band) => {
        const top = frame.y(band.to);
        return (
          <rect
            key={band.state}
            data-state={band.state}
            x={frame.right}
            y={top + 0.5}
            width={6}
            height={Math.max(0, frame.y(band.from) - top - 1)}
            fill="var(--state)"
            opacity={band.state === state ? 1 : 0.28}
          />
        );
      })}
      {peak === null ? null : (
        <>
          <path d={`M${round(x)} ${round(y - 2)}V${round(y - 9)}`} stroke="var(--state)" strokeWidth={1.25} />
          <text
            x={x + (isLeft ? -4 : 4)}
            y={y - 5}
            textAnchor={isLeft ? 'end' : 'start'}
            className="chart-label chart-num chart-strong chart-state chart-halo"
          >
            {formatPercent(peak)}
          </text>
        </>
      )}
    </svg>
  );
}
