/** A fleet of 24 sessions in four projects; every event the product shows happens within an hour. */
import type { AgentPlan } from './agent-plan';
import { CLIENTS, type ClientName } from './clients';
import { mergeSteps } from './merge-steps';
import { playAgent } from './play-agent';
import { createRandom, type Random, seedOf } from './random';
import type { Scenario, ScenarioOptions } from './types';

const MINUTE = 60_000;

interface Casting {
  title: string;
  project: 'web-shop' | 'billing' | 'data-platform' | 'mobile-app';
  as: ClientName;
  habits?: AgentPlan['habits'];
  change?: Partial<Pick<AgentPlan, 'limit' | 'limitStated' | 'whenFull' | 'pace' | 'model'>>;
}

const CAST: readonly Casting[] = [
  {
    title: 'Move checkout to the new payment API',
    project: 'web-shop',
    as: 'claudeCode',
    habits: { hooks: 'archives', subAgents: 0.02 },
  },
  {
    title: 'Find why search results flicker',
    project: 'web-shop',
    as: 'claudeCode',
    habits: { subAgents: 0.03 },
  },
  {
    title: 'Upgrade React and fix the fallout',
    project: 'web-shop',
    as: 'claudeCode',
    habits: { cacheStorms: 0.05 },
  },
  { title: 'Split the product page bundle', project: 'web-shop', as: 'claudeCodeSmall' },
  {
    title: 'Accessibility pass over the cart',
    project: 'web-shop',
    as: 'claudeCode',
    habits: { compactsByHandAt: 0.55 },
  },
  {
    title: 'Reproduce the coupon rounding bug',
    project: 'web-shop',
    as: 'claudeCodeOld',
    habits: { hooks: 'archive fails' },
  },
  { title: 'Write load tests for the catalogue', project: 'web-shop', as: 'codex' },
  {
    title: 'Invoice PDFs: page breaks inside tables',
    project: 'billing',
    as: 'claudeCode',
    habits: { hooks: 'archives' },
  },
  { title: 'Dunning letters in three languages', project: 'billing', as: 'codex', habits: { rewinds: 0.03 } },
  {
    title: 'Nightly reconciliation agent',
    project: 'billing',
    as: 'orchestrator',
    habits: { cacheStorms: 0.08 },
  },
  {
    title: 'Tax rules for Switzerland',
    project: 'billing',
    as: 'orchestrator',
    habits: { losesUsageAtTurn: 14 },
  },
  {
    title: 'Migrate ledger entries to the new schema',
    project: 'billing',
    as: 'orchestrator',
    change: { pace: 0.7 },
  },
  { title: 'Review the refund workflow', project: 'billing', as: 'claudeCode', habits: { clearsAt: 0.5 } },
  {
    title: 'Backfill events of last March',
    project: 'data-platform',
    as: 'orchestrator',
    change: { limit: 120_000, whenFull: { kind: 'overshoot', upTo: 1.2 } },
  },
  {
    title: 'Explain the slow partition scan',
    project: 'data-platform',
    as: 'claudeCode',
    change: { pace: 0.6 },
    habits: { subAgents: 0.05 },
  },
  {
    title: 'Port the warehouse jobs to streaming',
    project: 'data-platform',
    as: 'gemini',
    change: { pace: 0.4 },
  },
  { title: 'Schema registry clean-up', project: 'data-platform', as: 'sdkSnapshot' },
  {
    title: 'Triage of flaky pipelines',
    project: 'data-platform',
    as: 'sdkSnapshot',
    habits: { dropsTurns: 0.015 },
  },
  {
    title: 'Label 40 000 support tickets',
    project: 'data-platform',
    as: 'orchestrator',
    change: { pace: 0.5, limit: 400_000 },
  },
  {
    title: 'Offline summaries on the workstation',
    project: 'data-platform',
    as: 'local',
    habits: { estimates: true },
  },
  {
    title: 'Try the nightly model build',
    project: 'data-platform',
    as: 'local',
    change: { limitStated: 'never', model: 'nightly-32b' },
  },
  {
    title: 'Push notifications on Android 17',
    project: 'mobile-app',
    as: 'claudeCode',
    habits: { silentFromMs: -22 * MINUTE },
  },
  {
    title: 'Release notes for 8.2',
    project: 'mobile-app',
    as: 'claudeCodeSmall',
    habits: { endsAtMs: -9 * MINUTE },
  },
  {
    title: 'Crash when rotating during sync',
    project: 'mobile-app',
    as: 'codex',
    habits: { subAgents: 0.02 },
  },
];

const HOSTS: Readonly<Record<Casting['project'], readonly [string, ...string[]]>> = {
  'web-shop': ['birch', 'alder'],
  billing: ['ci-runner-3', 'birch'],
  'data-platform': ['gpu-01', 'ci-runner-7'],
  'mobile-app': ['macbook-ines'],
};

const BRANCHES = ['main', 'fix/rounding', 'feat/streaming', 'spike/cleanup', 'release/8.2'] as const;

function planOf(casting: Casting, index: number, random: Random, startMs: number, run: string): AgentPlan {
  const traits = CLIENTS[casting.as];
  const host = random.pick(HOSTS[casting.project]);
  const runnerName = traits.source === 'transcript' ? `watch@${host}` : `${traits.client}@${host}`;
  return {
    ...traits,
    key: `demo-fleet/${run}${String(index + 1).padStart(2, '0')}`,
    title: casting.title,
    project: casting.project,
    stream: `${casting.project}/${runnerName}`,
    runner: { name: runnerName, host, version: '0.1.0' },
    folder: `/srv/${casting.project}`,
    branch: random.pick(BRANCHES),
    startMs,
    pace: 1,
    ...casting.change,
    habits: { guessesAfterCompaction: casting.as === 'codex', ...casting.habits },
  };
}

/** The fleet of the demo, with an hour of history, so that charts are full at once. */
export function demoFleet(options: ScenarioOptions = {}): Scenario {
  const { seed = 7, historyMinutes = 60, minutes = 24 * 60, run = '' } = options;
  return {
    name: 'demo-fleet',
    seed,
    items: () => {
      const courses = CAST.map((casting, index) => {
        const random = createRandom(seedOf(seed, 1_000 + index));
        // Different start times spread the fleet over the whole scale.
        const startMs = Math.round(-historyMinutes * (1 + 0.6 * random.next()) * MINUTE + index * 700);
        const plan = planOf(casting, index, random, startMs, run === '' ? '' : `${run}/`);
        return playAgent(plan, seedOf(seed, index));
      });
      return mergeSteps(courses, minutes * MINUTE);
    },
  };
}
