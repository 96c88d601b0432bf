import type { ReplayedContext } from './replay-session';

const LEAST_TURNS = 25;

/**
 * The context up to the turn that reached its highest level, and a level that this turn was the first to pass:
 * a boundary as good as any, for contexts that ended before they met one.
 */
export function untilHighest(context: ReplayedContext): { context: ReplayedContext; level: number } | null {
  const { moments } = context;
  if (moments.length < LEAST_TURNS) return null;
  const highest = Math.max(...moments.map(({ used }) => used));
  const end = moments.findIndex(({ used }) => used === highest) + 1;
  const before = Math.max(0, ...moments.slice(0, end - 1).map(({ used }) => used));
  return { context: { ...context, moments: moments.slice(0, end) }, level: (highest + before) / 2 };
}
