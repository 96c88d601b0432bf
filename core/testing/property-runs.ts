import { vi } from 'vitest';

/** `PROPERTY_RUNS=5000` replaces the usual number of runs of each property. */
const asked = Number(process.env.PROPERTY_RUNS ?? 0);

/** Give the tests of this file the time for their runs. Returns the parameters of a property with its usual runs. */
export function propertyRuns(): (usual: number) => { numRuns: number } {
  vi.setConfig({ testTimeout: Math.max(120_000, asked * 2_000) });
  return (usual) => ({ numRuns: asked || usual });
}
