/**
 * Cache storms: prompts that are usually cached suddenly miss the cache. One missed call only means that the cache
 * expired during a pause. Three missed calls of five are a storm.
 */
import type { EventData } from '../events/details';
import type { Counts } from './counts';
import type { ChainFold } from './fold-types';

/** Calls needed to establish the usual share, and the maximum number of calls averaged. */
const LEAST_CALLS = 8;
const MEAN_OF_CALLS = 20;
/** Below this usual share, no call counts as missed. */
const LEAST_HABIT = 0.6;
const WINDOW = 5;
const MISSED_FOR_STORM = 3;
/** The first calls of a context fill the cache, so they are not watched. Tiny prompts are not watched either. */
const BUILDING_CALLS = 2;
const LEAST_PROMPT_TOKENS = 4_000;
/** A missed call moves the usual share by 1/60 of the difference. */
const FORGET_CALLS = 60;

export function watchCache(
  chain: ChainFold,
  counts: Readonly<Counts>,
): EventData<'cache_storm'> | 'over' | null {
  const prompt = counts.input + counts.cacheRead + counts.cacheCreation;
  if (prompt < LEAST_PROMPT_TOKENS || chain.context.mainTurns <= BUILDING_CALLS) return null;
  const [habit, calls, missed, uncached, storm] = chain.cache ?? [0, 0, 0, 0, 0];
  const share = counts.cacheRead / prompt;
  const isMissed = calls >= LEAST_CALLS && habit >= LEAST_HABIT && share < habit / 2;
  const weight = isMissed ? FORGET_CALLS : Math.min(calls + 1, MEAN_OF_CALLS);
  const mean = Math.round((habit + (share - habit) / weight) * 1e4) / 1e4;
  const bits = ((missed << 1) | (isMissed ? 1 : 0)) & ((1 << WINDOW) - 1);
  const tokens = bits === 0 ? 0 : uncached + (isMissed ? prompt - counts.cacheRead : 0);
  const count = bits.toString(2).replaceAll('0', '').length;
  const isOn = count >= MISSED_FOR_STORM || (storm === 1 && count > 0);
  chain.cache = [mean, Math.min(calls + 1, MEAN_OF_CALLS), bits, tokens, isOn ? 1 : 0];
  if (isOn === (storm === 1)) return null;
  if (!isOn) return 'over';
  const detail = { usualShare: habit, share, missed: count, of: WINDOW, tokens };
  return { kind: 'cache_storm', detail };
}

export function calmCache(chain: ChainFold): void {
  if (chain.cache === undefined) return;
  const [habit, calls] = chain.cache;
  chain.cache = [habit, calls, 0, 0, 0];
}
