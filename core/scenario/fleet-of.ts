import { type AgentPlan, CLIENTS, type ClientName } from './agent-plan';
import { mergeSteps } from './merge-steps';
import { playAgent } from './play-agent';
import { createRandom, seedOf } from './random';
import type { Scenario, ScenarioOptions } from './types';

const MINUTE = 60_000;
const SESSIONS_PER_RUNNER = 100;
const LARGEST_FLEET = 10_000;

const KINDS = Object.keys(CLIENTS) as [ClientName, ...ClientName[]];
const TASKS = ['Refactor', 'Investigate', 'Document', 'Test', 'Port', 'Review', 'Speed up'] as const;
const PARTS = ['login', 'export', 'search', 'billing run', 'importer', 'cache layer', 'mail queue'] as const;

/** Ordinary agents of all kinds, a hundred per runner. @throws RangeError unless `sessions` is 1 to 10 000 */
export function fleetOf(sessions: number, options: ScenarioOptions = {}): Scenario {
  if (!(Number.isInteger(sessions) && sessions >= 1 && sessions <= LARGEST_FLEET)) {
    throw new RangeError(`a fleet has 1 to ${LARGEST_FLEET} sessions`);
  }
  const { seed = 11, historyMinutes = 10, minutes = 10 } = options;
  return {
    items: () => {
      const courses = Array.from({ length: sessions }, (_, index) => {
        const plan = planOf(index, seedOf(seed, 20_000 + index), historyMinutes, options);
        return playAgent(plan, seedOf(seed, index));
      });
      return mergeSteps(courses, minutes * MINUTE);
    },
  };
}

function planOf(index: number, seed: number, historyMinutes: number, options: ScenarioOptions): AgentPlan {
  const { run = '' } = options;
  const random = createRandom(seed);
  const group = Math.floor(index / SESSIONS_PER_RUNNER);
  const { project = `team-${String((group % 12) + 1).padStart(2, '0')}` } = options;
  const host = `host-${String(group + 1).padStart(3, '0')}`;
  const traits = CLIENTS[random.pick(KINDS)];
  return {
    ...traits,
    stream: `${project}/${host}/${traits.source}`,
    key: `fleet-of/${run && `${run}/`}${String(index + 1).padStart(5, '0')}`,
    title: `${random.pick(TASKS)} the ${random.pick(PARTS)} (${index + 1})`,
    project,
    runner: { name: `${traits.source}@${host}`, host, version: '0.1.0' },
    folder: `/srv/${project}`,
    branch: 'main',
    startMs: Math.round(-historyMinutes * random.next() * MINUTE),
    pace: 0.5 + random.next(),
    habits: random.chance(0.1) ? { subAgents: 0.02 } : {},
  };
}
