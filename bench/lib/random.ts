import { createRandom as createFullRandom } from '../../core/scenario/random';

/** A whole number from 0 up to and not including `bound`. */
export type Random = (bound: number) => number;

export function createRandom(seed: number): Random {
  const random = createFullRandom(seed);
  return (bound) => random.int(0, bound - 1);
}
