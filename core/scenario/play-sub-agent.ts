import type { AgentDesk } from './agent-desk';
import { growthOfCall } from './growth';
import type { ScenarioStep } from './types';

/** A sub-agent: a chain with its own context, while the main one waits. */
export function* playSubAgent(desk: AgentDesk, chain: string): Generator<ScenarioStep> {
  const { plan, random } = desk;
  let occupancy = random.int(9_000, 16_000);
  for (let turns = random.int(4, 16); turns > 0; turns -= 1) {
    const output = random.skewed(40, 900);
    const cacheCreation = Math.min(occupancy - output - 5, random.skewed(200, 2_400));
    yield desk.step({
      type: 'turn',
      session: plan.key,
      chain,
      model: plan.model,
      call: desk.nextCall(),
      usage: { input: 5, output, cacheCreation, cacheRead: occupancy - output - 5 - cacheCreation },
      contextTokens: occupancy,
      basis: 'total',
    });
    occupancy += growthOfCall(random);
    desk.wait(random.int(3_000, 14_000));
  }
}
