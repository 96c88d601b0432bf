/** The fleet on one axis, 0 to 110 %: what is drawn where, in pixels. */
import type { PressureState } from '@/core/accounting/types';
import type { Session } from '@/core/api/session';
import { AXIS_END } from '../../sessions/fleet-query';
import { sessionTitle } from '../../sessions/session-names';

/** From this many sessions on, calm ones become a density. */
export const DENSITY_FROM = 500;
const BIN_PX = 4;
/** Ticks of a large fleet that would stand closer than this run into a block: they share places instead. */
const CROWD_PX = 5;
/** So many ticks a place, on average, are a block. */
const CROWD_RATIO = 1.5;
const LABEL_GAP_PX = 12;
/** Ticks that are nearer to each other stand on one place, to an eye. */
const ONE_PLACE_PX = 4;
/** Room of one character of an over-limit label, and of the number before it, pixels. */
const CHARACTER_PX = 5.9;
const NUMBER_PX = 44;

export interface Tick {
  id: string;
  title: string;
  state: PressureState;
  /** Middle of the tick, pixels. */
  x: number;
  pressure: number;
  idle: boolean;
  /** Left out by a filter: drawn as a shadow. */
  faded: boolean;
}

export interface Bin {
  x: number;
  width: number;
  count: number;
  /** Share of the fullest bin, 0 to 1. */
  share: number;
}

/** One of those that go next, or several whose numbers would touch: they share one stem, so that no two leaders cross. */
interface RankLabel {
  /** As their ticks stand, from the left; in their own order where they stand on one place: `1 3`. */
  ranks: number[];
  /** The worst of them. */
  state: PressureState;
  /** Where the ticks are, from the left, and the middle of the numbers, pixels. */
  ticks: number[];
  x: number;
}

interface OverLabel {
  id: string;
  title: string;
  tickX: number;
  pressure: number;
  /** Its place is past the axis' end, where its tick is. */
  beyond: boolean;
}

export interface Barcode {
  ticks: Tick[];
  bins: Bin[];
  /** What a filter leaves out of the density. */
  shadows: Bin[];
  ranks: RankLabel[];
  over: OverLabel[];
  /** Of a large fleet many stand near their limit: a tick may stand for more than one of them. */
  crowded: boolean;
  /** Some pressure lies past the axis' end. */
  beyond: boolean;
  /** Over-limit sessions that have no room for their title. */
  overUnnamed: number;
  /** Sessions that pass the filters and have no pressure that could stand on the axis, by the word of their state. */
  unread: Record<'unknown' | 'untracked', number>;
}

/** Place of a share of the limit on the axis, pixels; beyond its end it stays at the end. */
export function pressureX(pressure: number, width: number): number {
  return Math.min(1, Math.max(0, (pressure * 100) / AXIS_END)) * width;
}

function isBeyond(pressure: number): boolean {
  return pressure > AXIS_END / 100;
}

const SEVERITY: Record<PressureState, number> = {
  untracked: 0,
  unknown: 0,
  nominal: 1,
  elevated: 2,
  warning: 3,
  critical: 4,
  redlined: 5,
};

interface BarcodeInput {
  sessions: Iterable<Session>;
  /** Ids that pass the filters; null: no filter. */
  matching: ReadonlySet<string> | null;
  /** Ids of the sessions that go next, first one first. */
  next: readonly string[];
  width: number;
}

/** Ended sessions press on nothing and are not drawn. */
export function prepareBarcode({ sessions, matching, next, width }: BarcodeInput): Barcode {
  const read: Session[] = [];
  const unread = { unknown: 0, untracked: 0 };
  for (const session of sessions) {
    if (session.liveness === 'ended') continue;
    const isUntracked = session.state === 'untracked';
    if (!isUntracked && session.state !== 'unknown' && session.pressure !== null) read.push(session);
    else if (matching === null || matching.has(session.id))
      unread[isUntracked ? 'untracked' : 'unknown'] += 1;
  }
  const dense = read.length >= DENSITY_FROM;
  const named = new Set(next);
  const ticks: Tick[] = [];
  const counts = new Array<number>(Math.ceil(width / BIN_PX) + 1).fill(0);
  const shadows = new Array<number>(counts.length).fill(0);
  for (const session of read) {
    const faded = matching !== null && !matching.has(session.id);
    const calm = SEVERITY[session.state] < SEVERITY.warning && !named.has(session.id);
    if (!dense || !(calm || faded)) ticks.push(makeTick(session, faded, width));
    else {
      const bin = Math.floor(pressureX(session.pressure ?? 0, width) / BIN_PX);
      const bins = faded ? shadows : counts;
      bins[bin] = (bins[bin] ?? 0) + 1;
    }
  }
  const thinned = dense ? thinCrowd(ticks, named) : ticks;
  // Later ticks paint over earlier ones: the worst is painted last, and faded ones first.
  thinned.sort(
    (a, b) => Number(b.faded) - Number(a.faded) || SEVERITY[a.state] - SEVERITY[b.state] || a.x - b.x,
  );
  const ranks = rankLabels(thinned, next, width);
  // One scale for both, so that their heights compare.
  const most = Math.max(...counts, ...shadows);
  return {
    ticks: thinned,
    bins: makeBins(counts, most),
    shadows: makeBins(shadows, most),
    ranks,
    crowded: thinned.length < ticks.length,
    beyond: ticks.some(({ pressure, faded }) => isBeyond(pressure) && !faded),
    ...overLabels(thinned, ranks, width),
    unread,
  };
}

/**
 * Where the ticks from warning on would run into a block, one for each place and state: the fullest one that is there. Those
 * over their limit and those that go next keep theirs, for they are looked for one by one.
 */
function thinCrowd(ticks: readonly Tick[], named: ReadonlySet<string>): Tick[] {
  const isHot = (tick: Tick) =>
    (tick.state === 'warning' || tick.state === 'critical') && !named.has(tick.id);
  const hot = ticks.filter(isHot);
  const places = new Map<string, Tick>();
  for (const tick of hot) {
    const place = `${tick.state} ${tick.faded} ${Math.floor(tick.x / CROWD_PX)}`;
    const held = places.get(place);
    if (held === undefined || standsBefore(tick, held)) places.set(place, tick);
  }
  const isCrowded = hot.length > places.size * CROWD_RATIO;
  return isCrowded ? [...ticks.filter((tick) => !isHot(tick)), ...places.values()] : [...ticks];
}

/** One at work before one that rests, then the fuller one. */
function standsBefore(a: Tick, b: Tick): boolean {
  return a.idle === b.idle ? a.pressure > b.pressure : !a.idle;
}

function makeTick(session: Session, faded: boolean, width: number): Tick {
  const pressure = session.pressure ?? 0;
  return {
    id: session.id,
    title: sessionTitle(session),
    state: session.state,
    x: pressureX(pressure, width),
    pressure,
    idle: session.liveness === 'idle',
    faded,
  };
}

/** @param most the count that fills the height */
function makeBins(counts: readonly number[], most: number): Bin[] {
  return counts.flatMap((count, index) =>
    count === 0 ? [] : [{ x: index * BIN_PX, width: BIN_PX, count, share: count / most }],
  );
}

/** The numbers above the ticks. Where they would touch they stand together over the middle of their ticks. */
function rankLabels(ticks: readonly Tick[], next: readonly string[], width: number): RankLabel[] {
  const byId = new Map(ticks.map((tick) => [tick.id, tick]));
  const places = new Map<number, number>();
  const alone = next.flatMap((id, index): RankLabel[] => {
    const tick = byId.get(id);
    if (tick === undefined) return [];
    places.set(index + 1, Math.round(tick.x / ONE_PLACE_PX));
    return [labelOf([index + 1], [tick.x], tick.state, width)];
  });
  alone.sort((a, b) => a.x - b.x);
  const inOrder = (a: number, b: number) => (places.get(a) ?? 0) - (places.get(b) ?? 0) || a - b;
  const labels: RankLabel[] = [];
  for (const label of alone) {
    let joined = label;
    for (let before = labels.at(-1); before && touch(before, joined); before = labels.at(-1)) {
      labels.pop();
      const state = SEVERITY[before.state] > SEVERITY[joined.state] ? before.state : joined.state;
      const ranks = [...before.ranks, ...joined.ranks].sort(inOrder);
      joined = labelOf(ranks, [...new Set([...before.ticks, ...joined.ticks])], state, width);
    }
    labels.push(joined);
  }
  return labels;
}

function labelOf(ranks: number[], ticks: number[], state: PressureState, width: number): RankLabel {
  const middle = ((ticks[0] ?? 0) + (ticks.at(-1) ?? 0)) / 2;
  const half = halfWidth(ranks);
  return { ranks, ticks, state, x: Math.min(width + 4 - half, Math.max(half - 4, middle)) };
}

function halfWidth(ranks: readonly number[]): number {
  return (ranks.length * LABEL_GAP_PX) / 2;
}

function touch(a: RankLabel, b: RankLabel): boolean {
  return b.x - a.x < halfWidth(a.ranks) + halfWidth(b.ranks);
}

/** Titles of over-limit ticks, right-aligned at their tick, as long as they meet nothing to their left. */
function overLabels(
  ticks: readonly Tick[],
  ranks: readonly RankLabel[],
  width: number,
): { over: OverLabel[]; overUnnamed: number } {
  const passed = ticks.filter((tick) => tick.state === 'redlined' && !tick.faded).sort((a, b) => b.x - a.x);
  const over: OverLabel[] = [];
  const wall = Math.max(0, ...ranks.map((label) => label.x + halfWidth(label.ranks) + LABEL_GAP_PX / 2));
  let right = width + 1;
  for (const tick of passed) {
    const beyond = isBeyond(tick.pressure);
    const room = Math.min(tick.title.length, 36) * CHARACTER_PX + (beyond ? NUMBER_PX : 0);
    if (tick.x > right || tick.x - room < wall) continue;
    over.push({ id: tick.id, title: tick.title, tickX: tick.x, pressure: tick.pressure, beyond });
    right = tick.x - room - LABEL_GAP_PX;
  }
  return { over, overUnnamed: passed.length - over.length };
}

/** The drawn tick nearest to `x` within `reach` pixels; the worst state wins a tie. */
export function nearestTick(ticks: readonly Tick[], x: number, reach = 6): Tick | null {
  let best: Tick | null = null;
  for (const tick of ticks) {
    const distance = Math.abs(tick.x - x);
    if (distance <= reach && (best === null || distance <= Math.abs(best.x - x))) best = tick;
  }
  return best;
}
