/** The panels of history on one time axis: scales, ticks and paths. Pure. */
import type { History, HistoryPoint } from '@/core/api/history';
import { chartLayout, type PlotFrame, plotFrame } from '../../charts/plot-frame';
import { prepareValueAxis, roundDown } from '../../charts/prepare-axes';
import { px } from '../../charts/trace-path';
import { prepareRangeTicks, type Slot } from './history-words';

export type PanelName = 'peak' | 'boundaries' | 'tokens' | 'reads' | 'share';

interface HistorySheetInput {
  /** Null: not loaded yet; `from` and `to` are the requested range. */
  history: History | null;
  from: number;
  to: number;
  width: number;
  zone: string;
  /** The server's time, milliseconds. */
  now: number;
}

/** Room above the first panel for the label of the peak, or on a phone for the title. */
const CAPTION = 24;
/** Room between two panels for tick labels, and on a phone for the title. */
const GAP = 20;
const NARROW_GAP = 28;
/** Minimum width of the current bucket for a step that joins it to the previous bucket, pixels. */
const STEP_ROOM = 8;
/** Room for the axis line below the plot, pixels. */
const AXIS = 2;

export function slotsOf(points: readonly HistoryPoint[], now: number): Slot[] {
  return points.map((point) => {
    const to = Date.parse(point.to);
    return { from: Date.parse(point.from), to, point, partial: to > now };
  });
}

export type HistorySheet = ReturnType<typeof prepareHistory>;

export function prepareHistory({ history, width, zone, now, ...asked }: HistorySheetInput) {
  const { narrow, left, right } = chartLayout(width);
  const from = history ? Date.parse(history.from) : asked.from;
  const to = history ? Date.parse(history.to) : asked.to;
  /** Buckets with activity, in order. */
  const slots = slotsOf(history?.points ?? [], now);
  const xDomain: [number, number] = [from, to];
  const highest = slots.reduce<Slot | undefined>(
    (best, slot) => ((slot.point.peak ?? -1) > (best?.point.peak ?? -1) ? slot : best),
    undefined,
  );
  const axis = prepareValueAxis((highest?.point.peak ?? 0) * 100, 'percent');
  const most = (read: (point: HistoryPoint) => number[]) =>
    Math.max(1, ...slots.flatMap(({ point }) => read(point)));
  const boundaries = most(({ compactions, restarts }) => [compactions, restarts]);
  const tokens = most(({ input, cacheCreation, output }) => [input + cacheCreation, output]);
  const reads = most(({ cacheRead }) => [cacheRead]);
  const tall = width > 1_800;
  let height = 0;
  const panel = (
    plotHeight: number,
    yDomain: [number, number],
    yTicks: readonly number[],
    { top = narrow ? NARROW_GAP : GAP, bottom = AXIS } = {},
  ) => {
    const margin = { left, right, top, bottom };
    const frame = plotFrame({ width, margin, plotHeight, xDomain, yDomain });
    height += frame.height;
    // `top`: pixels from the top of the sheet.
    return { top: height - frame.height, frame, yDomain, yTicks };
  };
  const tick = roundDown(tokens);
  // From top to bottom.
  const panels = {
    peak: panel(narrow ? 150 : tall ? 300 : 190, axis.domain, axis.ticks, { top: CAPTION }),
    boundaries: panel(tall ? 92 : 64, [-boundaries * 1.15, boundaries * 1.15], [boundaries, -boundaries]),
    tokens: panel(tall ? 150 : 96, [-tokens * 1.1, tokens * 1.1], tick > 0 ? [tick, 0, -tick] : [0]),
    reads: panel(tall ? 92 : 60, [0, reads * 1.12], [...new Set([0, roundDown(reads)])]),
    share: panel(tall ? 92 : 60, [0, 100], [0, 50, 100], { bottom: 28 }),
  } satisfies Record<PanelName, unknown>;
  const xTickCount = Math.max(2, Math.floor((panels.peak.frame.right - left) / 84));
  const xTicks = prepareRangeTicks(from, to, xTickCount, zone);
  const partial = slots.find((slot) => slot.partial);
  return { narrow, width, height, xDomain, xTicks, slots, partial, highest, panels };
}

export interface StepRow {
  x: number;
  y: number | null;
}

/**
 * `rows`: a step line over the completed buckets. `soFar`: the value of the current bucket, with the step into it if
 * the bucket is wide enough.
 */
export function traceOf(
  slots: readonly Slot[],
  read: (point: HistoryPoint) => number | null,
  pixelsOf: (slot: Slot) => number = () => STEP_ROOM,
): { rows: StepRow[]; soFar: StepRow[] } {
  const rows: StepRow[] = [];
  const soFar: StepRow[] = [];
  let open: { to: number; y: number } | null = null;
  for (const slot of slots) {
    const y = read(slot.point);
    const isNext = open?.to === slot.from;
    if (slot.partial) {
      if (y === null) break;
      if (open !== null && isNext && pixelsOf(slot) >= STEP_ROOM) soFar.push({ x: slot.from, y: open.y });
      soFar.push({ x: slot.from, y }, { x: slot.to, y });
      break;
    }
    if (open !== null && (y === null || !isNext)) {
      rows.push({ x: open.to, y: open.y }, { x: open.to, y: null });
      open = null;
    }
    if (y === null) continue;
    rows.push({ x: slot.from, y });
    open = { to: slot.to, y };
  }
  if (open !== null) rows.push({ x: open.to, y: open.y });
  return { rows, soFar };
}

/** Bars as one path. A bar is as wide as its bucket, less a pixel where there is room for a gap. */
export function barsPath(
  slots: readonly Slot[],
  frame: PlotFrame,
  ends: (point: HistoryPoint) => readonly [from: number, to: number],
): string {
  const parts = slots.map(({ from, to, point }) => {
    const [low, high] = ends(point);
    if (low === high) return '';
    const left = frame.x(from);
    const width = frame.x(to) - left;
    const drawn = px(Math.max(0.75, width - (width >= 3 ? 1 : 0)));
    return `M${px(left)} ${px(frame.y(low))}h${drawn}V${px(frame.y(high))}h${-drawn}z`;
  });
  return parts.join('');
}
