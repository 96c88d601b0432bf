import { formatPercentExact, formatPercentValue } from '../format/format-percent';

interface PercentOf {
  ratio: number;
  /** The sums are a lower bound: shown with ≥. */
  atLeast?: boolean;
  /** The reading is an estimate: shown with ≈. */
  estimated?: boolean;
}

/** `88 %`, with two decimals on hover. */
export function Percent({ className = '', ...of }: PercentOf & { className?: string }) {
  return (
    <span className={`num ${className}`} title={percentTitle(of)}>
      <PercentText {...of} />
    </span>
  );
}

export function PercentText(of: PercentOf) {
  return (
    <>
      {signOf(of)}
      {formatPercentValue(of.ratio)}
      <span className="text-ink2"> %</span>
    </>
  );
}

export function percentTitle(of: PercentOf): string {
  return `${signOf(of)}${formatPercentExact(of.ratio)}`;
}

function signOf({ atLeast = false, estimated = false }: PercentOf): string {
  return atLeast ? '≥' : estimated ? '≈' : '';
}
