/**
 * Property tests import `fc` from here. Their seed is fixed, so a run repeats; `npm run test:full` sets TEST_SEED to a
 * random one and prints it.
 */
import fc from 'fast-check';
import { vi } from 'vitest';

fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });

export { fc };

/** `PROPERTY_RUNS=5000` replaces the usual number of runs of each property. */
const asked = Number(process.env.PROPERTY_RUNS ?? 0);

/** Give the tests of this file the time for their runs. Returns the parameters of a property with its usual runs. */
export function propertyRuns(): (usual: number) => { numRuns: number } {
  vi.setConfig({ testTimeout: Math.max(180_000, asked * 2_000) });
  return (usual) => ({ numRuns: asked || usual });
}
