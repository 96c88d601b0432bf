/** Computes the figures of a session or of one of its contexts from its contexts and its series. */
import { CROSSED_SHARES, type Figures } from '../api/figures';
import type { SeriesPoint } from '../api/series';
import type { Context, Session } from '../api/session';

export interface FiguresSource {
  session: Session;
  contexts: readonly Context[];
  /** Points of the main chain in the session's lens, for the whole session or for the context. */
  points: readonly SeriesPoint[];
  context: number | null;
}

/** Null: the session has no context of this number. */
export function figuresOf({ session, contexts, points, context }: FiguresSource): Figures | null {
  const own = context === null ? null : contexts.find(({ index }) => index === context);
  if (own === undefined) return null;
  const ofOne = own ?? null;
  const inside = points.filter((point) => context === null || point.context === context);
  const first = inside[0];
  const last = inside.at(-1);
  const tokens = ofOne?.totals ?? session.totals.main;
  const turns = ofOne === null ? sum(contexts, ({ turnCount }) => turnCount) : ofOne.turnCount;
  const limit = ofOne === null ? session.limit : (ofOne.limit ?? session.limit);
  const read = tokens.input + tokens.cacheRead + tokens.cacheCreation;
  const fresh = tokens.input + tokens.output + tokens.cacheCreation;
  const ended = (kind: Context['endedBy']) => contexts.filter(({ endedBy }) => endedBy === kind).length;
  return {
    sessionId: session.id,
    context,
    version: session.version,
    turns,
    firstAt: first ? new Date(first.t).toISOString() : null,
    lastAt: last ? new Date(last.t).toISOString() : null,
    contexts: ofOne === null ? contexts.length : 1,
    restarts: ofOne === null ? ended('restart') : 0,
    compactions: ofOne === null ? ended('compaction') : 0,
    clears: ofOne === null ? ended('clear') : 0,
    endedBy: ofOne?.endedBy ?? null,
    limit,
    ...peakOf(inside, limit),
    tokens,
    cacheReadShare: read > 0 ? tokens.cacheRead / read : null,
    newTokensPerTurn: turns > 0 ? fresh / turns : null,
    crossings: CROSSED_SHARES.map((share) => crossingOf(inside, share, limit)),
    complete: ofOne === null ? contexts.every(({ complete }) => complete) : ofOne.complete,
  };
}

function peakOf(points: readonly SeriesPoint[], limit: number | null) {
  const highest = (values: readonly (number | null)[]) =>
    values.reduce((most, one) => (one === null || (most !== null && most >= one) ? most : one), null);
  const tracked = points.filter(({ untracked }) => !untracked);
  const pressures = tracked.map(({ max, limit: own }) => {
    const whole = own ?? limit ?? 0;
    return max === null || whole <= 0 ? null : max / whole;
  });
  return { peak: highest(tracked.map(({ max }) => max)), peakPressure: highest(pressures) };
}

function crossingOf(points: readonly SeriesPoint[], share: number, limit: number | null) {
  const first = points[0];
  const crossed = points.find(({ max, limit: own, untracked }) => {
    const whole = own ?? limit ?? 0;
    return max !== null && !untracked && whole > 0 && max >= share * whole;
  });
  if (!first || !crossed) return { share, turns: null, minutes: null, rough: false };
  return {
    share,
    // Counted from the first compared turn.
    turns: crossed.n - (first.n - Math.max(1, first.turns)),
    minutes: (crossed.t - first.t) / 60_000,
    rough: crossed.turns > 1,
  };
}

function sum<T>(all: readonly T[], of: (one: T) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}
