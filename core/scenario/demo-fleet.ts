/** A fleet of 24 sessions in four projects. The main event kinds occur within an hour. */
import { type AgentPlan, CLIENTS, type ClientName } from './agent-plan';
import projects from './demo-projects.json' with { type: 'json' };
import { mergeSteps } from './merge-steps';
import { playAgent } from './play-agent';
import { createRandom, type Random, seedOf } from './random';
import type { Scenario, ScenarioOptions } from './types';

const MINUTE = 60_000;

type Casting = readonly [
  title: string,
  client: ClientName,
  habits?: AgentPlan['habits'],
  change?: Partial<Pick<AgentPlan, 'limit' | 'limitStated' | 'whenFull' | 'pace' | 'model'>>,
];

interface Project {
  name: string;
  hosts: readonly [string, ...string[]];
  cast: readonly Casting[];
}

const PROJECTS = projects as readonly unknown[] as readonly Project[];

const CAST = PROJECTS.flatMap((project) => project.cast.map((casting) => ({ project, casting })));

const BRANCHES = ['main', 'fix/rounding', 'feat/streaming', 'spike/cleanup', 'release/8.2'] as const;

function planOf(index: number, random: Random, startMs: number, options: ScenarioOptions): AgentPlan {
  const { project: area, casting } = CAST[index] as (typeof CAST)[number];
  const { run = '', project = area.name } = options;
  const [title, client, habits, change] = casting;
  const traits = CLIENTS[client];
  const host = random.pick(area.hosts);
  const runnerName = traits.source === 'transcript' ? `watch@${host}` : `${traits.client}@${host}`;
  return {
    ...traits,
    key: `demo-fleet/${run && `${run}/`}${String(index + 1).padStart(2, '0')}`,
    title,
    project,
    stream: `${project}/${runnerName}`,
    runner: { name: runnerName, host, version: '0.1.0' },
    folder: `/srv/${area.name}`,
    branch: random.pick(BRANCHES),
    startMs,
    pace: 1,
    ...change,
    habits: { guessesAfterCompaction: client === 'codex', ...habits },
  };
}

export function demoFleet(options: ScenarioOptions = {}): Scenario {
  const { seed = 7, historyMinutes = 60, minutes = 24 * 60 } = options;
  return {
    items: () => {
      const courses = CAST.map((_, index) => {
        const random = createRandom(seedOf(seed, 1_000 + index));
        // Different start times give the sessions different pressures.
        const startMs = Math.round(-historyMinutes * (1 + 0.6 * random.next()) * MINUTE + index * 700);
        const plan = planOf(index, random, startMs, options);
        return playAgent(plan, seedOf(seed, index));
      });
      return mergeSteps(courses, minutes * MINUTE);
    },
  };
}
