import { demoFleet } from './demo-fleet';
import { fleetOf } from './fleet-of';
import { cumulative1432262, overshoot, singleSession } from './small-stories';
import type { Scenario, ScenarioOptions } from './types';

const STORIES: ReadonlyMap<string, (options: ScenarioOptions) => Scenario> = new Map([
  ['demo-fleet', demoFleet],
  ['single-session', singleSession],
  ['cumulative-1432262', cumulative1432262],
  ['overshoot-1.2', overshoot],
]);

export const SCENARIO_NAMES: readonly string[] = [...STORIES.keys()];

/** As in `demo-fleet` or `fleet-of 500`. @throws RangeError for an unknown name. */
export function findScenario(name: string, options: ScenarioOptions = {}): Scenario {
  const story = STORIES.get(name);
  if (story !== undefined) return story(options);
  const size = /^fleet-of[ -](\d+)$/.exec(name)?.[1];
  if (size !== undefined) return fleetOf(Number(size), options);
  throw new RangeError(`no scenario "${name}"; there are ${SCENARIO_NAMES.join(', ')} and fleet-of N`);
}
