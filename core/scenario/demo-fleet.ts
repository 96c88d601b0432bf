/** A fleet of 24 sessions in four projects. The main event kinds occur within an hour. */
import { type AgentPlan, CLIENTS, type ClientName } from './agent-plan';
import { mergeSteps } from './merge-steps';
import { playAgent } from './play-agent';
import { createRandom, type Random, seedOf } from './random';
import type { Scenario, ScenarioOptions } from './types';

const MINUTE = 60_000;

const OVERSHOOTS = { limit: 120_000, whenFull: { kind: 'overshoot', upTo: 1.2 } } as const;

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

const PROJECTS: readonly Project[] = [
  {
    name: 'web-shop',
    hosts: ['birch', 'alder'],
    cast: [
      ['Move checkout to the new payment API', 'claudeCode', { hooks: 'archives', subAgents: 0.02 }],
      ['Find why search results flicker', 'claudeCode', { subAgents: 0.03 }],
      ['Upgrade React and fix the fallout', 'claudeCode', { cacheStorms: 0.05 }],
      ['Split the product page bundle', 'claudeCodeSmall'],
      ['Accessibility pass over the cart', 'claudeCode', { compactsByHandAt: 0.55 }],
      ['Reproduce the coupon rounding bug', 'claudeCodeOld', { hooks: 'archive fails' }],
      ['Write load tests for the catalogue', 'codex'],
    ],
  },
  {
    name: 'billing',
    hosts: ['ci-runner-3', 'birch'],
    cast: [
      ['Invoice PDFs: page breaks inside tables', 'claudeCode', { hooks: 'archives' }],
      ['Dunning letters in three languages', 'codex', { rewinds: 0.03 }],
      ['Nightly reconciliation agent', 'orchestrator', { cacheStorms: 0.08 }],
      ['Tax rules for Switzerland', 'orchestrator', { losesUsageAtTurn: 14 }],
      ['Migrate ledger entries to the new schema', 'orchestrator', {}, { pace: 0.7 }],
      ['Review the refund workflow', 'claudeCode', { clearsAt: 0.5 }],
    ],
  },
  {
    name: 'data-platform',
    hosts: ['gpu-01', 'ci-runner-7'],
    cast: [
      ['Backfill events of last March', 'orchestrator', {}, OVERSHOOTS],
      ['Explain the slow partition scan', 'claudeCode', { subAgents: 0.05 }, { pace: 0.6 }],
      ['Port the warehouse jobs to streaming', 'gemini', {}, { pace: 0.4 }],
      ['Schema registry clean-up', 'sdkSnapshot'],
      ['Triage of flaky pipelines', 'sdkSnapshot', { dropsTurns: 0.015 }],
      ['Label 40 000 support tickets', 'orchestrator', {}, { pace: 0.5, limit: 400_000 }],
      ['Offline summaries on the workstation', 'local', { estimates: true }],
      ['Try the nightly model build', 'local', {}, { limitStated: 'never', model: 'nightly-32b' }],
    ],
  },
  {
    name: 'mobile-app',
    hosts: ['macbook-ines'],
    cast: [
      ['Push notifications on Android 17', 'claudeCode', { silentFromMs: -22 * MINUTE }],
      ['Release notes for 8.2', 'claudeCodeSmall', { endsAtMs: -9 * MINUTE }],
      ['Crash when rotating during sync', 'codex', { subAgents: 0.02 }],
    ],
  },
];

const CAST = PROJECTS.flatMap((project) => project.cast.map((casting) => ({ project, casting })));

const BRANCHES = ['main', 'fix/rounding', 'feat/streaming', 'spike/cleanup', 'release/8.2'] as const;

function planOf(index: number, random: Random, startMs: number, run: string): AgentPlan {
  const { project, casting } = CAST[index] as (typeof CAST)[number];
  const [title, client, habits, change] = casting;
  const traits = CLIENTS[client];
  const host = random.pick(project.hosts);
  const runnerName = traits.source === 'transcript' ? `watch@${host}` : `${traits.client}@${host}`;
  return {
    ...traits,
    key: `demo-fleet/${run}${String(index + 1).padStart(2, '0')}`,
    title,
    project: project.name,
    stream: `${project.name}/${runnerName}`,
    runner: { name: runnerName, host, version: '0.1.0' },
    folder: `/srv/${project.name}`,
    branch: random.pick(BRANCHES),
    startMs,
    pace: 1,
    ...change,
    habits: { guessesAfterCompaction: client === 'codex', ...habits },
  };
}

export function demoFleet(options: ScenarioOptions = {}): Scenario {
  const { seed = 7, historyMinutes = 60, minutes = 24 * 60, run = '' } = options;
  return {
    items: () => {
      const courses = CAST.map((_, index) => {
        const random = createRandom(seedOf(seed, 1_000 + index));
        // Different start times give the sessions different pressures.
        const startMs = Math.round(-historyMinutes * (1 + 0.6 * random.next()) * MINUTE + index * 700);
        const plan = planOf(index, random, startMs, run === '' ? '' : `${run}/`);
        return playAgent(plan, seedOf(seed, index));
      });
      return mergeSteps(courses, minutes * MINUTE);
    },
  };
}
