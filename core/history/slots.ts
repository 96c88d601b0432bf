/**
 * Slots of a range of history. Slots of up to an hour have equal lengths from each local midnight. Longer slots start
 * at round local times, so that a day stays one slot when the clocks change.
 */
import { instantOf, zoneOffsetMs } from '../time/zone-offset';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const SLOT_SIZES = {
  '1m': MINUTE,
  '5m': 5 * MINUTE,
  '15m': 15 * MINUTE,
  '30m': 30 * MINUTE,
  '1h': HOUR,
  '3h': 3 * HOUR,
  '6h': 6 * HOUR,
  '12h': 12 * HOUR,
  '1d': DAY,
  '7d': 7 * DAY,
} as const;
export type SlotSize = keyof typeof SLOT_SIZES;
export const SLOT_NAMES = Object.keys(SLOT_SIZES) as SlotSize[];

/** Shorter slots are counted from single turns. Longer slots are sums of stored quarters of an hour. */
export const STORED_MS = 15 * MINUTE;

/** Maximum number of slots: enough for a year in days or a day in slots of five minutes. */
const MOST_DRAWN = 370;
export const LONGEST_RANGE_MS = 4_000 * DAY;

/** The smallest slot size that divides the range into at most about `most` slots. */
export function chooseSlotSize(from: number, to: number, most = MOST_DRAWN): SlotSize {
  return SLOT_NAMES.find((size) => (to - from) / SLOT_SIZES[size] <= most) ?? '7d';
}

/** Edges of the slots that cover [from, to): whole minutes, or from `15m` on whole quarters of an hour in UTC. */
export function slotEdges(from: number, to: number, size: SlotSize, zone: string): number[] {
  const length = SLOT_SIZES[size];
  const days = length > DAY ? 7 : 1;
  let day = localDay(from, zone);
  if (days === 7) day -= ((new Date(day).getUTCDay() + 6) % 7) * DAY;
  const edges: number[] = [];
  for (; ; day += days * DAY) {
    for (const edge of edgesOf(day, length, zone)) {
      const last = edges.at(-1);
      if (last !== undefined && edge <= last) continue;
      if (last !== undefined && last >= Math.max(to, from + 1)) return edges;
      // Of the edges at or before the start, keep only the last one.
      if (edge <= from) edges.length = 0;
      edges.push(edge);
    }
  }
}

/** Midnight of the local day of a moment, in milliseconds as if local time were UTC. */
function localDay(at: number, zone: string): number {
  return Math.floor((at + zoneOffsetMs(at, zone)) / DAY) * DAY;
}

/** Edges in a local day. Slots of a day or more keep only the first edge. */
function edgesOf(day: number, length: number, zone: string): number[] {
  const begin = quarter(instantOf(day, zone), length);
  if (length >= DAY) return [begin];
  const edges = [begin];
  if (length > HOUR) {
    for (let clock = length; clock < DAY; clock += length) {
      edges.push(quarter(instantOf(day + clock, zone), length));
    }
    return edges;
  }
  const end = quarter(instantOf(day + DAY, zone), length);
  for (let edge = begin + length; edge < end; edge += length) edges.push(edge);
  return edges;
}

/** Rounds an edge to the resolution of the stored data, because some historic offsets have odd minutes. */
function quarter(at: number, length: number): number {
  const unit = Math.min(length, STORED_MS);
  return Math.floor(at / unit) * unit;
}
