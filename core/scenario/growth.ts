import type { Random } from './random';

/** Tokens per call, as in real transcripts: mostly 0.2 to 3 thousand, now and then a file of 8 to 28. */
export function growthOfCall(random: Random): number {
  if (random.chance(0.035)) return random.skewed(8_000, 28_000);
  if (random.chance(0.22)) return random.int(2_000, 5_500);
  return random.skewed(180, 2_600);
}

/** Size of a context at its first call: system prompt, tools and first files. */
export function firstOccupancy(random: Random): number {
  return random.int(18_000, 45_000);
}

/** Size after a compaction: its summary, and files that are read again. */
export function occupancyAfterCompaction(random: Random): number {
  return random.int(32_000, 62_000);
}
