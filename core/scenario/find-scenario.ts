import { type AgentPlan, CLIENTS } from './agent-plan';
import { demoFleet } from './demo-fleet';
import { fleetOf } from './fleet-of';
import { mergeSteps } from './merge-steps';
import { playAgent } from './play-agent';
import { seedOf } from './random';
import type { Scenario, ScenarioItem, ScenarioOptions } from './types';

const MINUTE = 60_000;
const RUNNER = { name: 'story@desk', host: 'desk', version: '0.1.0' } as const;
const PROJECT = 'stories';

function keyOf(name: string, run: string): string {
  return run === '' ? name : `${name}/${run}`;
}

/** Items a second apart. */
function tell(name: string, seed: number, told: readonly ScenarioItem[]): Scenario {
  const stream = { stream: `${PROJECT}/${name}`, runner: RUNNER, project: PROJECT, source: 'sdk' as const };
  return {
    name,
    seed,
    items: () => told.map((item, index) => ({ afterMs: index * 1_000, ...stream, item })),
  };
}

/** One Claude Code session with hooks, sub-agents and compactions. */
function singleSession({ seed = 3, historyMinutes = 0, minutes = 120, run = '' }: ScenarioOptions): Scenario {
  const plan: AgentPlan = {
    ...CLIENTS.claudeCode,
    key: keyOf('single-session', run),
    title: 'Rewrite the importer in small steps',
    project: PROJECT,
    stream: `${PROJECT}/single-session`,
    runner: RUNNER,
    folder: '/srv/importer',
    branch: 'rewrite',
    startMs: -historyMinutes * MINUTE,
    pace: 1,
    habits: { hooks: 'archives', subAgents: 0.02 },
  };
  const items = () => mergeSteps([playAgent(plan, seedOf(seed, 0))], minutes * MINUTE);
  return { name: 'single-session', seed, items };
}

/** One turn of 487 in, 5880 out and 1 432 262 cache reads: a pressure of 3.2 %, not 719 %. */
function cumulative1432262({ seed = 1, run = '' }: ScenarioOptions): Scenario {
  const name = 'cumulative-1432262';
  const session = keyOf(name, run);
  const title = 'A long read from the cache';
  return tell(name, seed, [
    { type: 'session_start', session, lens: 'cumulative', title, limit: 200_000 },
    { type: 'turn', session, call: 'turn-1', usage: { input: 487, output: 5880, cacheRead: 1_432_262 } },
  ]);
}

/** Two turns of a small context: 40 %, then 120 %. */
function overshoot({ seed = 1, run = '' }: ScenarioOptions): Scenario {
  const session = keyOf('overshoot-1.2', run);
  return tell('overshoot-1.2', seed, [
    { type: 'session_start', session, lens: 'cumulative', title: 'Past the limit', limit: 1_000 },
    { type: 'turn', session, call: 'turn-1', usage: { input: 200, output: 200 } },
    { type: 'turn', session, call: 'turn-2', usage: { input: 400, output: 400 } },
  ]);
}

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
