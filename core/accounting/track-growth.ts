import type { ChainFold } from './fold-types';

/** Growths a chain remembers: enough for a rate, few enough to store with each batch. */
const GROWTH_TURNS = 24;

/**
 * Remembers by how much the lens grew with a main turn, and how long after the one before it (minutes). The
 * first turn of a context has no turn before it: what it brings is the context's beginning, not growth.
 */
export function trackGrowth(
  chain: ChainFold,
  time: number,
  usedBefore: number | null,
  usedAfter: number | null,
): void {
  const { lastMainAt } = chain.context;
  chain.context.lastMainAt = time;
  if (lastMainAt === null || usedBefore === null || usedAfter === null) return;
  chain.growth.push([(time - lastMainAt) / 60_000, usedAfter - usedBefore]);
  if (chain.growth.length > GROWTH_TURNS) chain.growth.shift();
}
