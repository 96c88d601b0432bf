import { openDesk } from './agent-desk';
import type { AgentPlan } from './agent-plan';
import { playCumulativeAgent } from './play-cumulative';
import { playSnapshotAgent } from './play-snapshot';
import { createRandom } from './random';
import type { ScenarioStep } from './types';

/** The course of one agent by its plan: endless, unless a habit ends it. Deferred until it is asked for. */
export function* playAgent(plan: AgentPlan, seed: number): Generator<ScenarioStep> {
  const desk = openDesk(plan, createRandom(seed));
  yield* plan.lens === 'cumulative' ? playCumulativeAgent(desk) : playSnapshotAgent(desk);
}
