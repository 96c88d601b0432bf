/**
 * Cache storms: prompts that were served from the cache and suddenly are not. One missed call is a pause that
 * outlived the cache; three of five are a storm.
 */
import type { Counts } from './counts';
import type { ChainFold } from './fold-types';

export interface CacheStorm {
  /** Usual share of the prompt from the cache, and that of the missed calls' latest one. */
  usualShare: number;
  share: number;
  /** Calls of the last five that missed, and the tokens they sent uncached. */
  missed: number;
  of: number;
  tokens: number;
}

/** Calls before the usual share is known, and how many it is the mean of at most. */
const LEAST_CALLS = 8;
const MEAN_OF_CALLS = 20;
/** Below this share the cache is no habit that could be lost. */
const LEAST_HABIT = 0.6;
const WINDOW = 5;
const MISSED_FOR_STORM = 3;
/** The first calls of a context build its cache; tiny prompts say nothing. */
const BUILDING_CALLS = 2;
const LEAST_PROMPT_TOKENS = 4_000;
/** What goes on for this many calls becomes the new habit. */
const FORGET_CALLS = 60;

export function watchCache(chain: ChainFold, counts: Readonly<Counts>): CacheStorm | 'over' | null {
  const prompt = counts.input + counts.cacheRead + counts.cacheCreation;
  if (prompt < LEAST_PROMPT_TOKENS || chain.context.mainTurns <= BUILDING_CALLS) return null;
  chain.cache ??= [0, 0, 0, 0, 0];
  const watch = chain.cache;
  const [habit, calls, missed, uncached, storm] = watch;
  const share = counts.cacheRead / prompt;
  const isMissed = calls >= LEAST_CALLS && habit >= LEAST_HABIT && share < habit / 2;
  const weight = isMissed ? FORGET_CALLS : Math.min(calls + 1, MEAN_OF_CALLS);
  const bits = ((missed << 1) | (isMissed ? 1 : 0)) & ((1 << WINDOW) - 1);
  watch[0] = Math.round((habit + (share - habit) / weight) * 1e4) / 1e4;
  watch[1] = Math.min(calls + 1, MEAN_OF_CALLS);
  watch[2] = bits;
  watch[3] = bits === 0 ? 0 : uncached + (isMissed ? prompt - counts.cacheRead : 0);
  const count = countBits(bits);
  if (storm === 0 && count >= MISSED_FOR_STORM) {
    watch[4] = 1;
    return { usualShare: habit, share, missed: count, of: WINDOW, tokens: watch[3] };
  }
  if (storm === 1 && count === 0) {
    watch[4] = 0;
    return 'over';
  }
  return null;
}

export function calmCache(chain: ChainFold): void {
  if (chain.cache === undefined) return;
  const [habit, calls] = chain.cache;
  chain.cache = [habit, calls, 0, 0, 0];
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest > 0; rest >>= 1) count += rest & 1;
  return count;
}
