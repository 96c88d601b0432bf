/** Short stories with known numbers, for tests that read them off a screen. */

import { CLIENTS } from './clients';
import { mergeSteps } from './merge-steps';
import { playAgent } from './play-agent';
import { seedOf } from './random';
import type { Scenario, ScenarioItem, ScenarioOptions, ScenarioStep } from './types';

const MINUTE = 60_000;
const RUNNER = { name: 'story@desk', host: 'desk', version: '0.1.0' } as const;
const PROJECT = 'stories';

function keyOf(name: string, run: string): string {
  return run === '' ? name : `${name}/${run}`;
}

function tell(name: string, items: readonly ScenarioItem[]): ScenarioStep[] {
  return items.map((item, index) => ({
    afterMs: index * 1_000,
    stream: `${PROJECT}/${name}`,
    runner: RUNNER,
    project: PROJECT,
    source: 'sdk',
    item,
  }));
}

/** One Claude Code session with hooks, sub-agents and compactions. */
export function singleSession(options: ScenarioOptions = {}): Scenario {
  const { seed = 3, historyMinutes = 0, minutes = 120, run = '' } = options;
  return {
    name: 'single-session',
    seed,
    items: () =>
      mergeSteps(
        [
          playAgent(
            {
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
            },
            seedOf(seed, 0),
          ),
        ],
        minutes * MINUTE,
      ),
  };
}

/** One turn of 487 in, 5880 out and 1 432 262 cache reads: a pressure of 3.2 %, not 719 %. */
export function cumulative1432262(options: ScenarioOptions = {}): Scenario {
  const { seed = 1, run = '' } = options;
  const session = keyOf('cumulative-1432262', run);
  return {
    name: 'cumulative-1432262',
    seed,
    items: () =>
      tell('cumulative-1432262', [
        {
          type: 'session_start',
          session,
          lens: 'cumulative',
          title: 'A long read from the cache',
          limit: 200_000,
        },
        {
          type: 'turn',
          session,
          call: 'turn-1',
          usage: { input: 487, output: 5880, cacheRead: 1_432_262 },
        },
      ]),
  };
}

/** Two turns of a small context: 40 %, then 120 %. */
export function overshoot(options: ScenarioOptions = {}): Scenario {
  const { seed = 1, run = '' } = options;
  const session = keyOf('overshoot-1.2', run);
  return {
    name: 'overshoot-1.2',
    seed,
    items: () =>
      tell('overshoot-1.2', [
        { type: 'session_start', session, lens: 'cumulative', title: 'Past the limit', limit: 1_000 },
        { type: 'turn', session, call: 'turn-1', usage: { input: 200, output: 200 } },
        { type: 'turn', session, call: 'turn-2', usage: { input: 400, output: 400 } },
      ]),
  };
}
