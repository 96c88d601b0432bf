import type { AlertCondition } from '@/core/alerts/rule';
import type { RulePreview } from '@/core/api/alerts';

/** The line of a rule on the barogram, as a share of the limit; null: the rule has none. */
export function lineOf(condition: AlertCondition): number | null {
  if (condition.kind === 'pressure') return condition.atLeast;
  return condition.kind === 'over_limit' ? 1 : null;
}

interface StripSize {
  width: number;
  height: number;
  line: number | null;
}

const MOST_PRESSURE = 1.1;
const LEAST_WIDTH = 2;

/** A step trace of the pressure over the session's own time, and the spans of its alerts, in pixels. */
export function prepareStrip(
  { trace, spans }: Pick<RulePreview['alerts'][number], 'trace' | 'spans'>,
  { width, height, line }: StripSize,
) {
  const times = [
    ...trace.map(([seconds]) => seconds),
    ...spans.map(({ firedAt }) => Date.parse(firedAt) / 1_000),
    ...spans.flatMap(({ resolvedAt }) => (resolvedAt === null ? [] : [Date.parse(resolvedAt) / 1_000])),
  ];
  const from = Math.min(...times);
  const to = Math.max(...times, from + 1);
  const round = (value: number) => Math.round(value * 10) / 10;
  const x = (seconds: number) => round(((seconds - from) / (to - from)) * width);
  const most = Math.max(MOST_PRESSURE, ...trace.map(([, pressure]) => pressure ?? 0));
  const y = (pressure: number) => round(height - (Math.min(pressure, most) / most) * (height - 1));
  let path = '';
  for (const [seconds, pressure] of trace) {
    if (pressure === null) continue;
    path += path === '' ? `M${x(seconds)} ${y(pressure)}` : `H${x(seconds)}V${y(pressure)}`;
  }
  return {
    trace: path === '' ? 'M0 0' : `${path}H${width}`,
    lineY: line === null ? null : y(line),
    spans: spans.map(({ firedAt, resolvedAt }) => {
      const start = x(Date.parse(firedAt) / 1_000);
      const end = resolvedAt === null ? width : x(Date.parse(resolvedAt) / 1_000);
      return { x: start, width: Math.max(LEAST_WIDTH, end - start) };
    }),
  };
}
