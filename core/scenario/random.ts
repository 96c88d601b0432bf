/** Seeded random numbers (mulberry32): the same seed gives the same numbers everywhere. */
export interface Random {
  /** 0 ≤ x < 1. */
  next(): number;
  /** An integer, both ends included. */
  int(min: number, max: number): number;
  /** An integer, both ends included. Small numbers are more frequent; the mean is at a third of the range. */
  skewed(min: number, max: number): number;
  /** Without a probability: false, and no random number is used. */
  chance(probability: number | undefined): boolean;
  pick<T>(values: readonly [T, ...T[]]): T;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    int: (min, max) => min + Math.floor(next() * (max - min + 1)),
    skewed: (min, max) => min + Math.floor(next() ** 2 * (max - min + 1)),
    chance: (probability) => probability !== undefined && next() < probability,
    pick: (values) => values[Math.floor(next() * values.length)] ?? values[0],
  };
}

/** The seed of part `index`, so that parts do not affect each other. */
export function seedOf(seed: number, index: number): number {
  return createRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)).int(0, 2 ** 32 - 1);
}
