/** The result of a measurement, with its goal if it has one. */
export interface Figure {
  name: string;
  value: number;
  unit?: string;
  least?: number;
  most?: number;
}

const WARM_UP_READS = 3;
const format = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

const hasGoal = ({ least, most }: Figure) => least !== undefined || most !== undefined;

export const isReached = ({
  value,
  least = Number.NEGATIVE_INFINITY,
  most = Number.POSITIVE_INFINITY,
}: Figure) => value >= least && value <= most;

export function printFigures(figures: readonly Figure[]): void {
  console.table(
    figures.map((figure) => ({
      figure: figure.name,
      value: `${format.format(figure.value)} ${figure.unit ?? ''}`.trim(),
      goal: figure.least === undefined ? (figure.most ?? '') && `≤ ${figure.most}` : `≥ ${figure.least}`,
      result: hasGoal(figure) ? (isReached(figure) ? 'reached' : 'MISSED') : '',
    })),
  );
}

/** The percentile for a share from 0 to 1. NaN for no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Duration of `work`, milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Duration of each of `reads` reads after a warm-up, milliseconds. */
export async function timeReads(reads: number, read: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < WARM_UP_READS + reads; i += 1) times.push(await timed(read));
  return times.slice(WARM_UP_READS);
}
