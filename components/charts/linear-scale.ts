/**
 * A linear scale with the interface of d3-scale. Recharts imports all of d3-scale, 19 kB gzipped; the build replaces it
 * by this file (next.config.mjs, docs/decisions/0022-session-page-in-parts.md).
 */

export interface LinearScale {
  (value: number): number;
  domain(): number[];
  domain(values: Iterable<number>): LinearScale;
  range(): number[];
  range(values: Iterable<number>): LinearScale;
  invert(place: number): number;
  /** About `count` round values within the domain. */
  ticks(count?: number): number[];
  tickFormat(): (value: number) => string;
  nice(): LinearScale;
  clamp(): boolean;
  copy(): LinearScale;
}

/** Map the domain linearly to the range, also beyond its ends. */
export function scaleLinear(): LinearScale {
  return create([0, 1], [0, 1]);
}

function create(firstDomain: readonly number[], firstRange: readonly number[]): LinearScale {
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
    ticks: (count = 10) => roundValues(domain[0] ?? 0, domain[1] ?? 1, count),
    tickFormat: () => String,
    nice: () => scale,
    clamp: () => false,
    copy: () => create(domain, range),
  } as Partial<LinearScale>);
}

/** Space names evenly over the range. Recharts imports it for axes without a scale. */
export function scalePoint() {
  let domain: unknown[] = [];
  let range = [0, 1];
  const scale = (value: unknown): number | undefined => {
    const index = domain.indexOf(value);
    const [start = 0, end = 1] = range;
    if (index === -1) return undefined;
    return domain.length === 1 ? (start + end) / 2 : start + ((end - start) * index) / (domain.length - 1);
  };
  const point = Object.assign(scale, {
    domain: (values?: Iterable<unknown>) => {
      if (values === undefined) return [...domain];
      domain = [...new Set(values)];
      return point;
    },
    range: (values?: Iterable<number>) => {
      if (values === undefined) return [...range];
      range = Array.from(values, Number);
      return point;
    },
    bandwidth: () => 0,
    copy: (): unknown => {
      const other = scalePoint();
      other.domain(domain);
      other.range(range);
      return other;
    },
  });
  return point;
}

/** An empty domain maps to the middle of the range, as in d3. */
function interpolate(value: number, from: readonly number[], to: readonly number[]): number {
  const [a = 0, b = 1] = from;
  const [start = 0, end = 1] = to;
  const share = a === b ? 0.5 : (value - a) / (b - a);
  return start * (1 - share) + end * share;
}

function roundValues(from: number, to: number, count: number): number[] {
  const span = to - from;
  if (!(span > 0) || count <= 0) return span === 0 ? [from] : [];
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const share = rough / power;
  const step = (share >= 7.07 ? 10 : share >= 3.16 ? 5 : share >= 1.41 ? 2 : 1) * power;
  const first = Math.ceil(from / step);
  const last = Math.floor(to / step);
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
}
