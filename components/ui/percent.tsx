import { formatPercentExact, formatPercentValue } from '../format/format-percent';

interface PercentProps {
  /** Share of the limit. */
  ratio: number;
  /** The sums are a lower bound: shown with ≥. */
  atLeast?: boolean;
  /** The reading is an estimate: shown with ≈. */
  estimated?: boolean;
  className?: string;
}

/** `88 %` with its unit in the second ink; two decimals on hover. */
export function Percent({ ratio, atLeast = false, estimated = false, className = '' }: PercentProps) {
  const sign = atLeast ? '≥' : estimated ? '≈' : '';
  return (
    <span className={`num ${className}`} title={`${sign}${formatPercentExact(ratio)}`}>
      {sign}
      {formatPercentValue(ratio)}
      <span className="text-ink2"> %</span>
    </span>
  );
}
