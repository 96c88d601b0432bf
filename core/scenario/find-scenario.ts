import { demoFleet } from './demo-fleet';
import { fleetOf } from './fleet-of';
import type { Scenario, ScenarioOptions } from './types';

export const SCENARIO_NAMES: readonly string[] = ['demo-fleet', 'fleet-of N'];

/** @param name `demo-fleet`, or as in `fleet-of 500` @throws RangeError for an unknown name or size */
export function findScenario(name: string, options: ScenarioOptions = {}): Scenario {
  if (name === 'demo-fleet') return demoFleet(options);
  const size = /^fleet-of[ -](\d+)$/.exec(name)?.[1];
  if (size !== undefined) return fleetOf(Number(size), options);
  throw new RangeError(`no scenario "${name}"; there are ${SCENARIO_NAMES.join(' and ')}`);
}
