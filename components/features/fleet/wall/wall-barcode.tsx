'use client';
import { memo, useMemo, useRef } from 'react';
import { sharedBounds } from '@/core/accounting/thresholds';
import type { Session } from '@/core/api/session';
import { useMeasuredWidth } from '../../../ui/use-measured-width';
import { AxisBreak, BarcodeAxis, BarcodeLabels, BREAK } from '../barcode-axis';
import { BarcodeBins } from '../barcode-bins';
import { BarcodeTicks } from '../barcode-ticks';
import { prepareBarcode } from '../prepare-barcode';

const PLOT = 44;

/** The whole fleet on its axis, over the cards; what it shows is said in words by the counts beside it. */
export const WallBarcode = memo(function WallBarcode({ sessions }: { sessions: readonly Session[] }) {
  const plot = useRef<HTMLDivElement>(null);
  const width = useMeasuredWidth(plot, 1872);
  const { bins, ticks, beyond } = useMemo(
    () => prepareBarcode({ sessions, matching: null, next: [], width }),
    [sessions, width],
  );
  const bounds = useMemo(() => sharedBounds(sessions), [sessions]);
  return (
    <div className="wall-barcode" aria-hidden="true">
      <div ref={plot} className="wall-plot">
        <svg
          width="100%"
          height="100%"
          viewBox={`0 0 ${width} ${PLOT}`}
          preserveAspectRatio="none"
          overflow="visible"
          aria-hidden="true"
        >
          <BarcodeAxis bounds={bounds} />
          <BarcodeBins bins={bins} width={width} height={PLOT} fill="var(--nominal)" opacity={0.4} />
          <BarcodeTicks ticks={ticks} width={width} height={PLOT} />
          <line x1="0" x2="100%" y1={PLOT} y2={PLOT} stroke="var(--ink)" vectorEffect="non-scaling-stroke" />
        </svg>
      </div>
      {beyond ? (
        // Beside the plot's own, which is stretched.
        <svg
          className="wall-break"
          viewBox={`${BREAK.left} -5 ${BREAK.width} ${BREAK.height}`}
          aria-hidden="true"
        >
          <AxisBreak y={0} />
        </svg>
      ) : null}
      <BarcodeLabels bounds={bounds} />
    </div>
  );
});
