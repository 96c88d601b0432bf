/**
 * From what was read to what is drawn: panels on one time axis, each with its frame, scale and shapes. A slot in
 * which nothing happened is a gap, never a zero.
 */
import type { History, HistoryPoint } from '@/core/api/history';
import { chartLayout, type PlotFrame, plotFrame } from '../../charts/plot-frame';
import { prepareValueAxis, type Tick, type ValueAxis } from '../../charts/prepare-axes';
import { prepareRangeTicks } from './prepare-ticks';

export interface Slot {
  /** Milliseconds. */
  from: number;
  to: number;
  point: HistoryPoint;
  /** It is not over yet: its sums and its peak are those so far. */
  partial: boolean;
}

export interface StepRow {
  x: number;
  y: number | null;
}

export interface HistorySheet {
  narrow: boolean;
  width: number;
  xDomain: [number, number];
  xTicks: Tick[];
  /** Slots in which something happened, in order. */
  slots: Slot[];
  /** The slot that is being filled; null: all are over, or nothing happened in it yet. */
  partial: Slot | null;
  peak: { frame: PlotFrame; axis: ValueAxis; rows: StepRow[]; soFar: StepRow[]; highest: Slot | null };
  boundaries: { frame: PlotFrame; most: number };
  tokens: { frame: PlotFrame; most: number };
  reads: { frame: PlotFrame; most: number };
  share: { frame: PlotFrame; rows: StepRow[]; soFar: StepRow[] };
  /** Pixels from the top of the sheet to each panel. */
  tops: { peak: number; boundaries: number; tokens: number; reads: number; share: number };
  height: number;
}

export interface HistorySheetInput {
  history: History | null;
  /** What is asked for, while nothing was read. */
  range: { from: number; to: number };
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

export function prepareHistory({ history, range, width, zone, now }: HistorySheetInput): HistorySheet {
  const layout = chartLayout(width);
  const from = history ? Date.parse(history.from) : range.from;
  const to = history ? Date.parse(history.to) : range.to;
  const slots = (history?.points ?? []).map((point) => ({
    from: Date.parse(point.from),
    to: Date.parse(point.to),
    point,
    partial: Date.parse(point.to) > now,
  }));
  const xDomain: [number, number] = [from, to];
  const partial = slots.find((slot) => slot.partial) ?? null;
  const slotWidth =
    partial === null
      ? 0
      : ((partial.to - partial.from) / (to - from || 1)) * (width - layout.left - layout.right);
  const traceOf = (read: (point: HistoryPoint) => number | null) => ({
    rows: stepRows(
      slots.filter(({ partial }) => !partial),
      read,
    ),
    soFar: rowsSoFar(slots, read, slotWidth >= STEP_ROOM),
  });
  const top = layout.narrow ? NARROW_GAP : GAP;
  const frameOf = (plotHeight: number, yDomain: [number, number], margin = { top, bottom: AXIS }) =>
    plotFrame({
      width,
      margin: { left: layout.left, right: layout.right, ...margin },
      plotHeight,
      xDomain,
      yDomain,
    });

  const highest = highestOf(slots);
  const axis = prepareValueAxis((highest?.point.peak ?? 0) * 100, 'percent');
  const most = (figure: (point: HistoryPoint) => number) =>
    Math.max(0, ...slots.map(({ point }) => figure(point)));
  const mostBoundaries = Math.max(
    1,
    most(({ compactions }) => compactions),
    most(({ restarts }) => restarts),
  );
  const mostTokens = Math.max(
    1,
    most(({ input, cacheCreation }) => input + cacheCreation),
    most(({ output }) => output),
  );
  const mostReads = Math.max(
    1,
    most(({ cacheRead }) => cacheRead),
  );
  const tall = width > 1_800;
  const frames = {
    peak: frameOf(layout.narrow ? 150 : tall ? 300 : 190, axis.domain, { top: CAPTION, bottom: AXIS }),
    boundaries: frameOf(tall ? 92 : 64, [-mostBoundaries * 1.15, mostBoundaries * 1.15]),
    tokens: frameOf(tall ? 150 : 96, [-mostTokens * 1.1, mostTokens * 1.1]),
    reads: frameOf(tall ? 92 : 60, [0, mostReads * 1.12]),
    share: frameOf(tall ? 92 : 60, [0, 100], { top, bottom: 28 }),
  };
  const tops = { peak: 0, boundaries: 0, tokens: 0, reads: 0, share: 0 };
  let height = 0;
  for (const name of ['peak', 'boundaries', 'tokens', 'reads', 'share'] as const) {
    tops[name] = height;
    height += frames[name].height;
  }
  return {
    narrow: layout.narrow,
    width,
    xDomain,
    xTicks: prepareRangeTicks(
      from,
      to,
      Math.max(2, Math.floor((frames.peak.right - layout.left) / 84)),
      zone,
    ),
    slots,
    partial,
    peak: { frame: frames.peak, axis, ...traceOf(({ peak }) => percent(peak)), highest },
    boundaries: { frame: frames.boundaries, most: mostBoundaries },
    tokens: { frame: frames.tokens, most: mostTokens },
    reads: { frame: frames.reads, most: mostReads },
    share: { frame: frames.share, ...traceOf(({ cacheShare }) => percent(cacheShare)) },
    tops,
    height,
  };
}

function percent(share: number | null): number | null {
  return share === null ? null : share * 100;
}

function highestOf(slots: readonly Slot[]): Slot | null {
  let highest: Slot | null = null;
  for (const slot of slots) {
    const { peak } = slot.point;
    if (peak !== null && peak > (highest?.point.peak ?? Number.NEGATIVE_INFINITY)) highest = slot;
  }
  return highest;
}

/** Rows of a step line: each value lasts for its bucket. */
export function stepRows(slots: readonly Slot[], read: (point: HistoryPoint) => number | null): StepRow[] {
  const rows: StepRow[] = [];
  let open: { to: number; y: number } | null = null;
  for (const { from, to, point } of slots) {
    const y = read(point);
    if (open !== null && (y === null || from > open.to)) {
      rows.push({ x: open.to, y: open.y }, { x: open.to, y: null });
      open = null;
    }
    if (y === null) continue;
    rows.push({ x: from, y });
    open = { to, y };
  }
  if (open !== null) rows.push({ x: open.to, y: open.y });
  return rows;
}

/**
 * The value of the slot that is not over, so far: drawn apart, for it may still change. The step into it belongs to it
 * where there is room for one; in a slot of a few pixels it would be a line of its own, and say that something fell.
 */
function rowsSoFar(
  slots: readonly Slot[],
  read: (point: HistoryPoint) => number | null,
  hasRoom = true,
): StepRow[] {
  const at = slots.findIndex(({ partial }) => partial);
  const slot = slots[at];
  const y = slot === undefined ? null : read(slot.point);
  if (slot === undefined || y === null) return [];
  const before = slots[at - 1];
  const last = hasRoom && before?.to === slot.from ? read(before.point) : null;
  return [...(last === null ? [] : [{ x: slot.from, y: last }]), { x: slot.from, y }, { x: slot.to, y }];
}

/** Bars as one path, from the value 0: a slot's width less a gap of a pixel where there is room for one. */
export function barsPath(
  slots: readonly Slot[],
  frame: PlotFrame,
  ends: (point: HistoryPoint) => readonly [from: number, to: number],
): string {
  const parts: string[] = [];
  for (const { from, to, point } of slots) {
    const [low, high] = ends(point);
    if (low === high) continue;
    const left = frame.x(from);
    const width = frame.x(to) - left;
    const drawn = Math.max(0.75, width - (width >= 3 ? 1 : 0));
    const bottom = frame.y(low);
    parts.push(`M${round(left)} ${round(bottom)}h${round(drawn)}V${round(frame.y(high))}h${round(-drawn)}z`);
  }
  return parts.join('');
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The slot at a moment, or the nearest one; -1 without any. */
export function nearestSlot(slots: readonly Slot[], at: number): number {
  let best = -1;
  let distance = Number.POSITIVE_INFINITY;
  slots.forEach(({ from, to }, index) => {
    const away = at < from ? from - at : at >= to ? at - to + 1 : 0;
    if (away < distance) {
      best = index;
      distance = away;
    }
  });
  return best;
}
