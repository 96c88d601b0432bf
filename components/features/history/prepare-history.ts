/**
 * From what was read to what is drawn: panels on one time axis, each with its frame, scale and shapes. A slot in
 * which nothing happened is a gap, never a zero.
 */
import type { History, HistoryPoint } from '@/core/api/history';
import { chartLayout, type PlotFrame, plotFrame } from '../../charts/plot-frame';
import { prepareValueAxis, type Tick } from '../../charts/prepare-axes';
import { px } from '../../charts/trace-path';
import { prepareRangeTicks } from './history-words';

export interface Slot {
  /** Milliseconds. */
  from: number;
  to: number;
  point: HistoryPoint;
  /** It is not over yet: its sums and its peak are those so far. */
  partial: boolean;
}

interface Panel {
  /** Pixels from the top of the sheet. */
  top: number;
  frame: PlotFrame;
  yDomain: [number, number];
  yTicks: readonly number[];
}

export type PanelName = 'peak' | 'boundaries' | 'tokens' | 'reads' | 'share';

export interface HistorySheet {
  narrow: boolean;
  width: number;
  height: number;
  xDomain: [number, number];
  xTicks: Tick[];
  /** Slots in which something happened, in order. */
  slots: Slot[];
  /** The slot that is being filled; undefined: all are over, or nothing happened in it yet. */
  partial: Slot | undefined;
  /** The slot with the highest peak. */
  highest: Slot | undefined;
  panels: Record<PanelName, Panel>;
}

export interface HistorySheetInput {
  history: History | null;
  /** What is asked for, while nothing was read. */
  from: number;
  to: number;
  width: number;
  zone: string;
  /** The server's time, milliseconds: a slot that ends later is partial. */
  now: number;
}

/** Over a panel: room for its name on a phone, for the label of the peak elsewhere. */
const CAPTION = 24;
/** Between two panels: their lowest and highest figures on the axis, and on a phone the name, stand apart. */
const GAP = 20;
const NARROW_GAP = 28;
/** Slots narrower than this have no room for a step into them, pixels. */
const STEP_ROOM = 8;
/** The axis line needs one pixel below the plot. */
const AXIS = 2;

export function slotsOf(points: readonly HistoryPoint[], now: number): Slot[] {
  return points.map((point) => {
    const to = Date.parse(point.to);
    return { from: Date.parse(point.from), to, point, partial: to > now };
  });
}

export function prepareHistory({ history, width, zone, now, ...asked }: HistorySheetInput): HistorySheet {
  const { narrow, left, right } = chartLayout(width);
  const from = history ? Date.parse(history.from) : asked.from;
  const to = history ? Date.parse(history.to) : asked.to;
  const slots = slotsOf(history?.points ?? [], now);
  const xDomain: [number, number] = [from, to];
  const highest = slots
    .filter(({ point }) => point.peak !== null)
    .reduce<Slot | undefined>(
      (best, slot) => ((slot.point.peak ?? 0) > (best?.point.peak ?? -1) ? slot : best),
      undefined,
    );
  const axis = prepareValueAxis((highest?.point.peak ?? 0) * 100, 'percent');
  const most = (...figures: ((point: HistoryPoint) => number)[]) =>
    Math.max(1, ...slots.flatMap(({ point }) => figures.map((figure) => figure(point))));
  const boundaries = most(
    ({ compactions }) => compactions,
    ({ restarts }) => restarts,
  );
  const tokens = most(
    ({ input, cacheCreation }) => input + cacheCreation,
    ({ output }) => output,
  );
  const reads = most(({ cacheRead }) => cacheRead);
  const tall = width > 1_800;
  let height = 0;
  const panel = (
    plotHeight: number,
    yDomain: [number, number],
    yTicks: readonly number[],
    { top = narrow ? NARROW_GAP : GAP, bottom = AXIS } = {},
  ): Panel => {
    const margin = { left, right, top, bottom };
    const frame = plotFrame({ width, margin, plotHeight, xDomain, yDomain });
    height += frame.height;
    return { top: height - frame.height, frame, yDomain, yTicks };
  };
  const tick = roundDown(tokens);
  // In their order from top to bottom.
  const panels = {
    peak: panel(narrow ? 150 : tall ? 300 : 190, axis.domain, axis.ticks, { top: CAPTION }),
    boundaries: panel(tall ? 92 : 64, [-boundaries * 1.15, boundaries * 1.15], [boundaries, -boundaries]),
    tokens: panel(tall ? 150 : 96, [-tokens * 1.1, tokens * 1.1], tick > 0 ? [tick, 0, -tick] : [0]),
    reads: panel(tall ? 92 : 60, [0, reads * 1.12], [...new Set([0, roundDown(reads)])]),
    share: panel(tall ? 92 : 60, [0, 100], [0, 50, 100], { bottom: 28 }),
  };
  const xTickCount = Math.max(2, Math.floor((panels.peak.frame.right - left) / 84));
  return {
    narrow,
    width,
    height,
    xDomain,
    xTicks: prepareRangeTicks(from, to, xTickCount, zone),
    slots,
    partial: slots.find((slot) => slot.partial),
    highest,
    panels,
  };
}

/** The largest round value at or below what is drawn. */
function roundDown(most: number): number {
  if (most <= 1) return 0;
  const power = 10 ** Math.floor(Math.log10(most));
  const share = most / power;
  const round = [7.5, 5, 2.5, 2, 1.5].find((value) => share >= value) ?? 1;
  return Math.round(round * power);
}

export interface StepRow {
  x: number;
  y: number | null;
}

type Read = (point: HistoryPoint) => number | null;

/**
 * A step line of what is over, each value for its bucket, and apart from it the value of the current bucket. The step
 * into that belongs to it where there is room; in a slot of a few pixels it would look like a fall.
 */
export function traceOf(
  slots: readonly Slot[],
  read: Read,
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

/** Bars as one path, from the value 0: a slot's width less a gap of a pixel where there is room for one. */
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
