const FIRST_PAUSE_MS = 1_000;
export const LONGEST_PAUSE_MS = 15 * 60_000;

/** Half of the pause is random, so that the messages of a failed receiver do not return together. */
export function pauseMs(attempts: number, random: number): number {
  const full = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1));
  return Math.round(full / 2 + (random * full) / 2);
}
