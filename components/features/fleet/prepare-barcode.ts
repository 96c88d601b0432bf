import type { StateBounds } from '@/core/accounting/types';
import { PRESSURE_STATES, type PressureState } from '@/core/accounting/types';
import type { Session } from '@/core/api/session';
import { typeScale } from '../../charts/plot-frame';
import { AXIS_END } from '../../sessions/fleet-query';
import { sessionTitle } from '../../sessions/session-names';
import { STATE_WORD } from '../../ui/state-label';

/** Height of the plot. */
export const PLOT = 44;
/** Height of an over-limit tick above the plot, pixels. */
const RISE_PX = 9;
/** Height of an idle session's tick, as a share of the plot. */
const IDLE_SHARE = 0.4;
/** Minimum distance between labels, percent of the limit. */
const APART = 8;
/** From this many sessions on, calm sessions are drawn as a density. */
const DENSITY_FROM = 500;
const BIN_PX = 4;
/** In a large fleet, warning or critical ticks within this width may be drawn as one, pixels. */
const CROWD_PX = 5;
/** If places have more ticks than this on average, one tick is drawn per place. */
const CROWD_RATIO = 1.5;
const LABEL_GAP_PX = 12;
const ONE_PLACE_PX = 4;
/** Maximum distance of the pointer from its tick. */
const REACH_PX = 6;
/** Width of a character of an over-limit label, and of the percentage before its title, pixels. */
const CHARACTER_PX = 5.9;
const NUMBER_PX = 44;

export interface Tick {
  id: string;
  title: string;
  state: PressureState;
  x: number;
  pressure: number;
  idle: boolean;
  /** The session is filtered out and drawn as a shadow. */
  faded: boolean;
}

export interface Bin {
  x: number;
  /** Share of the fullest bin, 0 to 1. */
  share: number;
}

interface RankLabel {
  /** In the order of the ticks, from the left. */
  ranks: number[];
  state: PressureState;
  /** x of each tick, and x of the middle of the numbers, pixels. */
  ticks: number[];
  x: number;
}

export interface Barcode {
  ticks: Tick[];
  bins: Bin[];
  /** The filtered-out part of the density. */
  shadows: Bin[];
  ranks: RankLabel[];
  /** Room for the caption in the line of the labels, from the left, pixels. */
  captionRoom: number;
  /** Over-limit ticks with room for their title. */
  over: Tick[];
  overUnnamed: number;
  /** A tick may represent several sessions. */
  crowded: boolean;
  beyond: boolean;
  unread: Record<'unknown' | 'untracked', number>;
}

/** x of a pressure, pixels, within the axis. */
export function pressureX(pressure: number, width: number): number {
  return Math.min(1, Math.max(0, (pressure * 100) / AXIS_END)) * width;
}

export function isBeyond({ pressure }: Pick<Tick, 'pressure'>): boolean {
  return pressure > AXIS_END / 100;
}

const severity = (state: PressureState) => PRESSURE_STATES.indexOf(state);

interface BarcodeInput {
  sessions: Iterable<Session>;
  /** Ids that pass the filters; null: no filter. */
  matching: ReadonlySet<string> | null;
  next: readonly string[];
  width: number;
}

/** Prepare the barcode. Ended sessions are not drawn. */
export function prepareBarcode({ sessions, matching, next, width }: BarcodeInput): Barcode {
  const all: Tick[] = [];
  const unread = { unknown: 0, untracked: 0 };
  for (const session of sessions) {
    const { state, pressure, liveness, id } = session;
    if (liveness === 'ended') continue;
    const faded = matching !== null && !matching.has(id);
    if (state === 'untracked' || state === 'unknown' || pressure === null) {
      if (!faded) unread[state === 'untracked' ? 'untracked' : 'unknown'] += 1;
    } else {
      const x = pressureX(pressure, width);
      all.push({ id, title: sessionTitle(session), state, x, pressure, idle: liveness === 'idle', faded });
    }
  }
  const named = new Set(next);
  const isDense = all.length >= DENSITY_FROM;
  const isCalm = ({ id, state }: Tick) => severity(state) < severity('warning') && !named.has(id);
  const binned = isDense ? all.filter((tick) => tick.faded || isCalm(tick)) : [];
  const single = isDense ? all.filter((tick) => !(tick.faded || isCalm(tick))) : all;
  const ticks = isDense ? thinCrowd(single, named) : [...single];
  // Later ticks cover earlier ones: faded ticks come first, the worst state last.
  ticks.sort(
    (a, b) => Number(b.faded) - Number(a.faded) || severity(a.state) - severity(b.state) || a.x - b.x,
  );
  const ranks = rankLabels(ticks, next, width);
  const over = overLabels(ticks, ranks, width);
  const starts = [
    ...ranks.map((label) => label.x - halfWidth(label.ranks)),
    ...over.over.map((tick) => tick.x - overRoom(tick, width)),
  ];
  return {
    ticks,
    ...prepareBins(binned, width),
    ranks,
    captionRoom: Math.max(0, Math.min(width, ...starts) - LABEL_GAP_PX),
    crowded: ticks.length < single.length,
    beyond: single.some((tick) => isBeyond(tick) && !tick.faded),
    ...over,
    unread,
  };
}

/** Densities of the matching and of the filtered-out sessions, on one scale. */
function prepareBins(ticks: readonly Tick[], width: number): Pick<Barcode, 'bins' | 'shadows'> {
  const counts = [false, true].map((faded) => {
    const bins = new Array<number>(Math.ceil(width / BIN_PX) + 1).fill(0);
    for (const tick of ticks) {
      const bin = Math.floor(tick.x / BIN_PX);
      if (tick.faded === faded) bins[bin] = (bins[bin] ?? 0) + 1;
    }
    return bins;
  });
  const most = Math.max(...counts.flat());
  const [bins = [], shadows = []] = counts.map((list) =>
    list.flatMap((count, index) => (count === 0 ? [] : [{ x: index * BIN_PX, share: count / most }])),
  );
  return { bins, shadows };
}

/** If warning and critical ticks would form a block, keep one per place and state, and those of the next to go. */
function thinCrowd(ticks: readonly Tick[], named: ReadonlySet<string>): Tick[] {
  const isHot = ({ state, id }: Tick) => (state === 'warning' || state === 'critical') && !named.has(id);
  const hot = ticks.filter(isHot);
  const places = new Map<string, Tick>();
  for (const tick of hot) {
    const place = `${tick.state} ${Math.floor(tick.x / CROWD_PX)}`;
    const held = places.get(place);
    // A live session replaces an idle one; then the higher pressure wins.
    const isBefore =
      held === undefined || (tick.idle === held.idle ? tick.pressure > held.pressure : held.idle);
    if (isBefore) places.set(place, tick);
  }
  const isCrowded = hot.length > places.size * CROWD_RATIO;
  return isCrowded ? [...ticks.filter((tick) => !isHot(tick)), ...places.values()] : [...ticks];
}

/** The numbers above the ticks. Numbers that would touch share one label. */
function rankLabels(ticks: readonly Tick[], next: readonly string[], width: number): RankLabel[] {
  const byId = new Map(ticks.map((tick) => [tick.id, tick]));
  const named = next.flatMap((id, index) => {
    const tick = byId.get(id);
    return tick === undefined ? [] : [{ rank: index + 1, tick }];
  });
  const place = (tick: Tick) => Math.round(tick.x / ONE_PLACE_PX);
  const labelOf = (group: typeof named): RankLabel => {
    const xs = group.map(({ tick }) => tick.x);
    const half = halfWidth(group);
    const middle = (Math.min(...xs) + Math.max(...xs)) / 2;
    return {
      ranks: group
        .toSorted((a, b) => place(a.tick) - place(b.tick) || a.rank - b.rank)
        .map(({ rank }) => rank),
      state: group.map(({ tick }) => tick.state).reduce((a, b) => (severity(b) > severity(a) ? b : a)),
      ticks: [...new Set(xs)],
      x: Math.min(width + 4 - half, Math.max(half - 4, middle)),
    };
  };
  const touch = (a: typeof named, b: typeof named) =>
    labelOf(b).x - labelOf(a).x < halfWidth(a) + halfWidth(b);
  const groups: (typeof named)[] = [];
  for (const entry of named.sort((a, b) => a.tick.x - b.tick.x)) {
    let group = [entry];
    for (let before = groups.at(-1); before && touch(before, group); before = groups.at(-1)) {
      group = [...before, ...group];
      groups.pop();
    }
    groups.push(group);
  }
  return groups.map(labelOf);
}

function halfWidth(numbers: readonly unknown[]): number {
  return (numbers.length * LABEL_GAP_PX) / 2;
}

/** Estimated width of an over-limit tick's label, pixels. */
function overRoom(tick: Tick, width: number): number {
  return (
    typeScale(width) * (Math.min(tick.title.length, 36) * CHARACTER_PX + (isBeyond(tick) ? NUMBER_PX : 0))
  );
}

/** Over-limit ticks with room for the title to their left. */
function overLabels(
  ticks: readonly Tick[],
  ranks: readonly RankLabel[],
  width: number,
): Pick<Barcode, 'over' | 'overUnnamed'> {
  const passed = ticks.filter((tick) => tick.state === 'redlined' && !tick.faded).sort((a, b) => b.x - a.x);
  const wall = Math.max(0, ...ranks.map((label) => label.x + halfWidth(label.ranks) + LABEL_GAP_PX / 2));
  let right = width + 1;
  const over = passed.filter((tick) => {
    const room = overRoom(tick, width);
    if (tick.x > right || tick.x - room < wall) return false;
    right = tick.x - room - LABEL_GAP_PX;
    return true;
  });
  return { over, overUnnamed: passed.length - over.length };
}

/** The drawn tick nearest to `x` within reach; the top tick wins a tie. */
export function nearestTick(ticks: readonly Tick[], x: number): Tick | null {
  let best: Tick | null = null;
  for (const tick of ticks) {
    const distance = Math.abs(tick.x - x);
    if (distance <= REACH_PX && (best === null || distance <= Math.abs(best.x - x))) best = tick;
  }
  return best;
}

interface AxisMark {
  /** Percent of the limit. */
  at: number;
  state: PressureState | null;
  word: string;
}

export function axisMarks(bounds: Readonly<StateBounds>): AxisMark[] {
  const plain = (at: number, word: string): AxisMark => ({ at, state: null, word });
  const states = (['elevated', 'warning', 'critical', 'redlined'] as const)
    .map((state) => ({ at: Math.round(bounds[state] * 1e4) / 100, state, word: STATE_WORD[state] }))
    .filter(({ at }) => at > 0 && at < AXIS_END && at !== 100);
  const marks = [plain(0, 'nominal'), ...states, plain(100, 'limit')].sort((a, b) => a.at - b.at);
  return marks.map((mark, index) =>
    (marks[index + 1]?.at ?? AXIS_END + APART) - mark.at < APART ? { ...mark, word: '' } : mark,
  );
}

/** A path per state, because thousands of elements are slow. Ticks on the same half pixel are drawn once. */
export function tickPaths(ticks: readonly Tick[]): { state: PressureState; faded: boolean; d: string }[] {
  const paths: { state: PressureState; faded: boolean; strokes: Set<string> }[] = [];
  for (const { state, faded, idle, x } of ticks) {
    let path = paths.at(-1);
    if (path?.state !== state || path.faded !== faded) {
      path = { state, faded, strokes: new Set() };
      paths.push(path);
    }
    const top = idle ? PLOT * (1 - IDLE_SHARE) : state === 'redlined' && !faded ? -RISE_PX : 0;
    path.strokes.add(`M${Math.round(x * 2) / 2} ${top}V${PLOT}`);
  }
  return paths.map(({ strokes, ...path }) => ({ ...path, d: [...strokes].join('') }));
}

export function binPath(bins: readonly Bin[]): string {
  return bins
    .map(({ x, share }) => `M${x} ${PLOT}V${(PLOT * (1 - share)).toFixed(1)}h${BIN_PX}V${PLOT}z`)
    .join('');
}
