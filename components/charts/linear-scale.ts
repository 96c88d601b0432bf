/**
 * A linear scale with the interface of d3-scale. Recharts imports all of d3-scale, 19 kB gzipped; the build uses this
 * file instead (next.config.mjs, docs/decisions/0022-session-page-in-parts.md).
 */

export interface LinearScale {
  (value: number): number;
  domain(): number[];
  domain(values: Iterable<number>): LinearScale;
  range(): number[];
  range(values: Iterable<number>): LinearScale;
  invert(place: number): number;
  /** Returns only the ends of the domain, because our charts pass their own ticks. */
  ticks(): number[];
  tickFormat(): (value: number) => string;
  nice(): LinearScale;
  clamp(): boolean;
  copy(): LinearScale;
}

export function scaleLinear(firstDomain = [0, 1], firstRange = [0, 1]): LinearScale {
  let domain = [...firstDomain];
  let range = [...firstRange];
  const scale = ((value: number) => interpolate(value, domain, range)) as LinearScale;
  return Object.assign(scale, {
    domain: (values?: Iterable<number>) => {
      if (values === undefined) return [...domain];
      domain = Array.from(values, Number);
      return scale;
    },
    range: (values?: Iterable<number>) => {
      if (values === undefined) return [...range];
      range = Array.from(values, Number);
      return scale;
    },
    invert: (place: number) => interpolate(place, range, domain),
    ticks: () => [...domain],
    tickFormat: () => String,
    nice: () => scale,
    clamp: () => false,
    copy: () => scaleLinear(domain, range),
  } as Partial<LinearScale>);
}

/** Recharts imports `scalePoint` for its brush, which our charts do not use. */
export const scalePoint = scaleLinear;

/** An empty domain maps to the middle of the range, as in d3. */
function interpolate(value: number, from: readonly number[], to: readonly number[]): number {
  const [a = 0, b = 1] = from;
  const [start = 0, end = 1] = to;
  const share = a === b ? 0.5 : (value - a) / (b - a);
  return start * (1 - share) + end * share;
}
