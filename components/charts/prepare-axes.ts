/** Domains and ticks of axes. The pressure axis is 0–110 % everywhere and grows only for larger values. */
import { formatClock, formatClockSeconds, formatDay } from '@/components/format/format-time';
import { formatTokens } from '@/components/format/format-tokens';
import { zoneOffsetMs } from '@/core/time/zone-offset';
import type { ValueUnit } from './chart-scale';

export interface ValueAxis {
  unit: ValueUnit;
  domain: [number, number];
  ticks: number[];
}

const STANDARD_TOP = 110;

/** @param peak largest value drawn, in the unit; a peak of 120 % extends the axis to 130 %. */
export function prepareValueAxis(peak: number, unit: ValueUnit): ValueAxis {
  if (unit === 'tokens') {
    const step = niceStep(Math.max(peak, 1) / 4);
    const top = Math.max(step, Math.ceil((peak * 1.05) / step) * step);
    return { unit, domain: [0, top], ticks: steps(0, top, step) };
  }
  if (peak <= 190) {
    const top = peak <= STANDARD_TOP ? STANDARD_TOP : Math.ceil((peak + 5) / 10) * 10;
    return { unit, domain: [0, top], ticks: steps(0, top, 25) };
  }
  const step = Math.max(50, niceStep(peak / 6));
  const top = Math.ceil((peak * 1.03) / (step / 2)) * (step / 2);
  const ticks = [...new Set([...steps(0, top, step), 100])].sort((a, b) => a - b);
  const room = top / 24;
  return {
    unit,
    domain: [0, top],
    ticks: ticks.filter((tick) => tick === 100 || Math.abs(tick - 100) > room),
  };
}

/** `100 %` at the limit, plain numbers at other ticks; tokens as `150 k`. */
export function valueTickLabel(value: number, unit: ValueUnit): string {
  if (unit === 'tokens') return roundTokens(value);
  return value === 100 ? '100\u00a0%' : String(value);
}

/** A count without trailing zeros: `1.5 M`, `2 M`. */
export function roundTokens(count: number): string {
  return formatTokens(count).replace(/(\.\d*?)0+(?=\D)/, (_, kept: string) => (kept === '.' ? '' : kept));
}

export interface Tick {
  x: number;
  label: string;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TIME_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 7, 14, 28, 91, 364].map((days) => days * DAY),
];

/** At most `count` ticks at round local times. A tick at midnight shows the date. */
export function prepareTimeTicks(from: number, to: number, count: number, zone: string): Tick[] {
  const span = to - from;
  if (!(span > 0) || count < 1) return [];
  const step = TIME_STEPS.find((candidate) => span / candidate <= count) ?? 364 * DAY;
  const ticks: Tick[] = [];
  const firstLocal = Math.ceil((from + zoneOffsetMs(from, zone)) / step) * step;
  for (let local = firstLocal; ; local += step) {
    const guess = local - zoneOffsetMs(from, zone);
    const x = local - zoneOffsetMs(guess, zone);
    if (x > to) return ticks;
    if (x < from) continue;
    const format = local % DAY === 0 ? formatDay : step < MINUTE ? formatClockSeconds : formatClock;
    ticks.push({ x, label: format(x, zone) });
  }
}

export function prepareTurnTicks(from: number, to: number, count: number): Tick[] {
  if (!(to > from) || count < 1) return [];
  const nice = Math.max(1, niceStep((to - from) / count));
  const step = Number.isInteger(nice) ? nice : 2 * nice;
  return steps(Math.ceil(from / step) * step, to, step).map((x) => ({
    x,
    label: x >= 10_000 ? formatTokens(x) : String(x),
  }));
}

/** The largest round value at or below `most`: 150 000 for 157 000; 0 for 1 and less. */
export function roundDown(most: number): number {
  if (most <= 1) return 0;
  const power = 10 ** Math.floor(Math.log10(most));
  const round = [7.5, 5, 2.5, 2, 1.5].find((share) => most / power >= share) ?? 1;
  return Math.round(round * power);
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-9)));
  const share = rough / power;
  const round = share <= 1 ? 1 : share <= 2 ? 2 : share <= 2.5 ? 2.5 : share <= 5 ? 5 : 10;
  return round * power;
}

function steps(from: number, to: number, step: number): number[] {
  const values: number[] = [];
  for (let i = 0; from + i * step <= to + step * 1e-6; i += 1) values.push(from + i * step);
  return values;
}
