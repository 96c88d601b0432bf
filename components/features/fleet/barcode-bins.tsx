import { memo } from 'react';
import type { Bin } from './prepare-barcode';
import { binPath } from './tick-paths';

interface BarcodeBinsProps {
  bins: readonly Bin[];
  /** The width the bins were counted for, pixels. */
  width: number;
  height: number;
  fill: string;
  opacity: number;
}

/** The density as one path instead of hundreds of elements. */
export const BarcodeBins = memo(function BarcodeBins({
  bins,
  width,
  height,
  fill,
  opacity,
}: BarcodeBinsProps) {
  if (bins.length === 0) return null;
  return (
    <svg
      width="100%"
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={binPath(bins, height)} fill={fill} opacity={opacity} />
    </svg>
  );
});
