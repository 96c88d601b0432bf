import { openDesk } from './agent-desk';
import type { AgentPlan } from './agent-plan';
import { playCumulativeAgent } from './play-cumulative';
import { playSnapshotAgent } from './play-snapshot';
import { createRandom } from './random';
import type { ScenarioStep } from './types';

/** The steps of one agent by its plan: endless unless a habit ends it, and generated on demand. */
export function* playAgent(plan: AgentPlan, seed: number): Generator<ScenarioStep> {
  const desk = openDesk(plan, createRandom(seed));
  yield* plan.lens === 'cumulative' ? playCumulativeAgent(desk) : playSnapshotAgent(desk);
}
