import { AgentDesk } from './agent-desk';
import type { AgentPlan } from './agent-plan';
import { playSnapshotAgent, restart } from './play-snapshot';
import { createRandom } from './random';
import type { ScenarioStep } from './types';

/** The steps of one agent by its plan, generated on demand. The steps are endless unless a habit ends them. */
export function* playAgent(plan: AgentPlan, seed: number): Generator<ScenarioStep> {
  const desk = new AgentDesk(plan, createRandom(seed));
  yield* plan.lens === 'cumulative' ? playCumulativeAgent(desk) : playSnapshotAgent(desk);
}

/** An agent that reports deltas per turn, without the resent history, for the cumulative lens. */
function* playCumulativeAgent(desk: AgentDesk): Generator<ScenarioStep> {
  const { plan, random } = desk;
  const { habits } = plan;
  yield desk.startStep();
  desk.wait(random.int(2_000, 9_000));
  let used = 0;
  let turns = 0;

  while (!desk.isOver) {
    const isFull = plan.whenFull.kind === 'overshoot' && used >= plan.limit * plan.whenFull.upTo;
    turns += 1;
    const hasUsage = turns !== habits.losesUsageAtTurn;
    const input = isFull ? 0 : random.skewed(300, 5_200);
    const output = isFull ? random.int(1, 9) : random.skewed(120, 2_400);
    const isStorm = random.chance(habits.cacheStorms);
    const cacheRead = isStorm ? random.int(700_000, 1_900_000) : random.skewed(4_000, 120_000);
    yield desk.step({
      type: 'turn',
      session: plan.key,
      model: plan.model,
      call: desk.nextCall(),
      ...(plan.limitStated === 'turn' ? { limit: plan.limit } : {}),
      usage: hasUsage ? { input, output, cacheRead, cacheCreation: random.skewed(0, 6_000) } : null,
    });
    if (hasUsage) used += input + output;
    const line = plan.whenFull.kind === 'restart' ? plan.whenFull.line : Number.POSITIVE_INFINITY;
    if (used >= line * plan.limit) {
      yield* restart(desk, used / plan.limit);
      used = 0;
      turns = 0;
    }
    desk.pause();
  }
  if (habits.endsAtMs !== undefined) {
    yield desk.step({ type: 'session_end', session: plan.key, reason: 'completed' });
  }
}
