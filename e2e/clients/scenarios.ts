/** What a real client does in each scenario, with the model's answers. */
import { randomInt, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { preCompactHooks } from '@/runner/src/archive';
import { createClaudeAgent, runWithRestarts } from '@/runner/src/restart';
import { trackQuery } from '@/runner/src/sdks';
import type { ReadApi } from '../support/read-api';
import type { TestRunner } from '../support/runner';
import { type ClientHome, STATUS_LINE } from './client-home';
import type { ExpectedSession } from './compare-ledger';
import type { Answer, ModelServer } from './model-server';
import { COMPACT, type PromptClient } from './real-agent';
import { until } from './terminal';

export interface World extends Record<PromptClientName, PromptClient> {
  claude: ClientHome;
  model: ModelServer;
  api: ReadApi;
  /** The Agent SDK's function. */
  query: (params: { prompt: string; options?: Record<string, unknown> }) => AsyncIterable<unknown>;
  /** Reports the SDK's session too; null: only `watch` and the hook report. */
  runner: TestRunner | null;
}

export interface Scenario {
  /** The scenarios of a client run one after another. */
  client: ClientName;
  name: string;
  /** The model's answers, by script. */
  scripts: Record<string, Answer[]>;
  run: (world: World) => Promise<ExpectedSession[]>;
}

type PromptClientName = 'claude' | 'codex' | 'gemini' | 'opencode';
export type ClientName = PromptClientName | 'sdk';

/** What the server learns about a client's sessions. */
interface Habits {
  /** The reason of an end; null: the client reports no ends and no resumed runs. */
  end: string | null;
  lacks?: ExpectedSession['lacks'];
}

const HABITS: Record<ClientName, Habits> = {
  claude: { end: 'other' },
  sdk: { end: 'other' },
  codex: { end: 'other' },
  gemini: { end: 'exit', lacks: ['archives'] },
  opencode: { end: null, lacks: ['telemetry', 'end', 'archives'] },
};

/** The tools of each client. A client stops a model that repeats one command, so each command differs. */
const TOOLS: Record<string, () => Answer['tool']> = {
  bash: () => ({ name: 'Bash', input: { command: echo(), description: 'Test' } }),
  // The client refuses to sleep.
  hang: () => ({ name: 'Bash', input: { command: 'timeout 20 tail -f /dev/null', description: 'Test' } }),
  agent: () => taskOf('claude_helper'),
  delegate: () => taskOf('sdk_helper'),
  exec: () => ({ name: 'exec_command', input: { cmd: echo() } }),
  wait: () => ({ name: 'exec_command', input: { cmd: 'sleep 2' } }),
  spawn: () => ({
    name: 'spawn_agent',
    namespace: 'multi_agent_v1',
    input: { message: 'script:codex_helper' },
  }),
  shell: () => ({ name: 'run_shell_command', input: { command: echo(), description: 'Test' } }),
  invoke: () => ({
    name: 'invoke_agent',
    input: { agent_name: 'generalist', prompt: 'script:gemini_helper' },
  }),
  complete: () => ({ name: 'complete_task', input: { result: 'Done.' } }),
  run: () => ({ name: 'bash', input: { command: echo(), description: 'Test' } }),
  task: () => ({
    name: 'task',
    input: { description: 'Look', prompt: 'script:opencode_helper', subagent_type: 'general' },
  }),
};

function echo(): string {
  return `echo ${randomUUID()}`;
}

function taskOf(script: string): Answer['tool'] {
  const kind = { subagent_type: 'general-purpose', run_in_background: false };
  return { name: 'Task', input: { description: 'Look', prompt: `script:${script}`, ...kind } };
}

/**
 * Answers from texts such as `12 bash 9000+120`: twelve tool calls, each with about 9 000 cache reads and about 120
 * tokens of cache creation.
 */
function answers(...lines: string[]): Answer[] {
  return lines.flatMap((line) => {
    const [, count = '1', kind = '', ...costs] = /^(?:(\d+) )?(\w+) ?(\d+)?(?:\+(\d+))?$/.exec(line) ?? [];
    return Array.from({ length: Number(count) }, (): Answer => {
      const [cacheRead = 0, cacheCreation = 0] = costs.map((cost = '0') => about(Number(cost)));
      const tool = TOOLS[kind]?.();
      const usage = { cacheRead, cacheCreation };
      return tool === undefined ? { usage } : { tool, usage };
    });
  });
}

function about(count: number): number {
  return count + randomInt(1 + Math.min(2_000, count));
}

const TOO_LONG: Answer = { refusal: 'prompt is too long: 205000 tokens > 200000 maximum' };
const BLOCK = { hooks: { PreCompact: [{ hooks: [{ type: 'command', command: 'sleep 1; exit 2' }] }] } };
const FULL = 'bash 90000+40000';

interface More {
  /** Prompts after the first one, each in its own process. */
  prompts?: string[];
  compactions?: NonNullable<ExpectedSession['compactions']>;
  /** Scripts of sub-agents. */
  others?: Scenario['scripts'];
  /** Different from other sessions of the client. */
  course?: string[];
  lacks?: ExpectedSession['lacks'];
}

/** Runs prompts in one session. The first prompt names the script. */
function continued(client: PromptClientName, name: string, script: Answer[], more: More = {}): Scenario {
  const { prompts = [], compactions = [], others = {}, lacks = HABITS[client].lacks ?? [] } = more;
  const own = `${client}_${name}`.replaceAll(/\W/g, '_');
  const scripts = { [own]: script, ...others };
  const run: Scenario['run'] = async ({ [client]: agent, model }) => {
    const id = await agent.run(`script:${own}`);
    for (const prompt of prompts) await agent.run(prompt, 'resume', id);
    if (client === 'gemini') for (const each of Object.keys(scripts)) model.nameSession(each, id);
    const { course = courseOf(client, 'startup', 1 + prompts.length) } = more;
    return [{ id, course, compactions, lacks }];
  };
  return { client, name, scripts, run };
}

/** Forks a session, perhaps after a compaction, and continues both. */
function forked(client: PromptClientName, script: Answer[], isCompacted = false): Scenario {
  const name = isCompacted ? 'fork after a compaction' : 'fork';
  const own = `${client}_${name}`.replaceAll(' ', '_');
  const { lacks = [], end } = HABITS[client];
  const run: Scenario['run'] = async ({ [client]: agent }) => {
    const id = await agent.run(`script:${own}`);
    if (isCompacted) await agent.run(COMPACT, 'resume', id);
    const fork = await agent.run('Another way.', 'fork', id);
    await agent.run('More.', 'resume', id);
    await agent.run('More.', 'resume', fork);
    const forkedFrom = end === null ? {} : { forkedFrom: id };
    return [
      {
        ...{ id, course: courseOf(client, 'startup', isCompacted ? 3 : 2), lacks },
        ...(isCompacted && { compactions: ['manual'] }),
      },
      { id: fork, course: courseOf(client, 'fork', 2), ...forkedFrom, lacks },
    ];
  };
  return { client, name, scripts: { [own]: script }, run };
}

function courseOf(client: ClientName, first: string, runs: number): string[] {
  const { end } = HABITS[client];
  if (end === null) return [first];
  return Array.from({ length: runs }, (_, index) => [index === 0 ? first : 'resumed', end]).flat();
}

/** Runs a session of the Agent SDK. `start` returns the number of the client's runs. */
function ofSdk(
  name: string,
  scripts: Scenario['scripts'],
  compactions: NonNullable<ExpectedSession['compactions']>,
  start: (world: World, options: Record<string, unknown>, session?: Session) => Promise<number>,
): Scenario {
  const [own = ''] = Object.keys(scripts);
  const run: Scenario['run'] = async (world) => {
    const { options, variables: env } = world.claude;
    const allowedTools = ['Bash', 'Task', 'Agent'];
    const session = world.runner?.session(`${own}-${randomUUID()}`, { title: 'SDK' });
    const runs = await start(
      world,
      { cwd: options.work, env, settingSources: ['user'], allowedTools },
      session,
    );
    session?.end({ reason: 'other' });
    return [{ id: world.model.sessionOf(own), course: courseOf('sdk', 'startup', runs), compactions }];
  };
  return { client: 'sdk', name, scripts, run };
}

type Session = ReturnType<TestRunner['session']>;

/** Where the client's own hook archives too. */
function hookSettings({ env }: Record<string, unknown>): { configDir: string } {
  const { HOME = '' } = env as Record<string, string>;
  return { configDir: join(HOME, '.config', 'barograph') };
}

const CLAUDE: Scenario[] = [
  continued(
    'claude',
    'resume',
    answers('bash 0+9000', '12 bash 9000+120', 'say 9120', '6 bash 9200', 'say 9300'),
    { prompts: ['More.'] },
  ),
  continued('claude', 'manual', answers('bash 0+30000', 'say 30000', 'say 5000+3000'), {
    prompts: [COMPACT, 'More.'],
    compactions: ['manual'],
  }),
  continued('claude', 'automatic', answers('bash 0+90000', FULL, 'bash 20000', FULL, 'say 21000'), {
    compactions: ['auto', 'auto'],
  }),
  continued('claude', 'between', answers('bash 0+90000', 'say 90000+40000', 'say 20500'), {
    prompts: ['More.'],
    compactions: ['auto'],
  }),
  continued(
    'claude',
    'refused',
    [...answers('bash 0+90000'), TOO_LONG, ...answers('bash 20000', 'say 20500')],
    { compactions: ['auto'] },
  ),
  forked('claude', answers('bash 0+7000', 'say 7000', 'say 7100', 'say 7200', 'say 7300')),
  forked('claude', answers('bash 0+30000', 'say 30000', 'say 5000+3000', 'bash 8000', 'say 8100'), true),
  {
    client: 'claude',
    name: 'blocked',
    scripts: { blocked: answers('say 0+30000', 'say 30000') },
    run: async ({ claude }) => {
      const id = await claude.run('script:blocked');
      await claude.print(COMPACT, ['--resume', id, '--settings', JSON.stringify(BLOCK)]);
      await claude.run('More.', 'resume', id);
      return [{ id, course: courseOf('claude', 'startup', 3), blocked: true }];
    },
  },
  continued('claude', 'sub-agent', answers('agent 0+12000', 'say 12000'), {
    others: { claude_helper: answers('6 bash 0+4000', 'say 4000') },
  }),
  {
    client: 'claude',
    name: 'interactive',
    scripts: {
      typed: answers('bash 0+15000', 'say 15000', 'say 6000'),
      cleared: answers('bash 6000+700', 'say 6700'),
    },
    run: async ({ claude, model }) => {
      const id = randomUUID();
      const terminal = claude.open(['--session-id', id]);
      await until(() => terminal.screen.includes(STATUS_LINE), 'status line of the client');
      const enter = async (line: string, script: string, calls: number) => {
        const count = () => model.ledger.filter((call) => call.script === script).length;
        const wanted = count() + calls;
        await terminal.type(line);
        await until(() => count() >= wanted, `answer to ${line}`);
        await wait(2_000);
      };
      await enter('script:typed', 'typed', 2);
      await enter(COMPACT, 'typed', 1);
      await enter('More.', 'typed', 1);
      await enter('/clear', 'typed', 0);
      await enter('script:cleared', 'cleared', 2);
      await terminal.type('/exit');
      await terminal.ended;
      const next = model.sessionOf('cleared');
      return [
        { id, course: ['startup', 'clear'], compactions: ['manual'], hasWindow: true },
        { id: next, course: ['clear', 'prompt_input_exit'], previous: id, hasWindow: true },
      ];
    },
  },
  {
    client: 'claude',
    name: 'kill',
    scripts: { kill: answers('hang 0+11000', 'bash 11000', 'say 11050') },
    run: async ({ claude, model, api }) => {
      const id = randomUUID();
      const program = claude.start(['-p', 'script:kill', '--session-id', id]);
      await until(() => model.sessionOf('kill') === id, 'first call');
      await wait(1_500);
      program.signal('SIGKILL');
      const { signal } = await program.ended;
      if (signal !== 'SIGKILL') throw new Error('The client ended before its kill.');
      const ended = async () =>
        (await api.sessions()).some(
          ({ clientSessionIds, endedAt }) => clientSessionIds.includes(id) && endedAt !== null,
        );
      await until(ended, 'end of the killed session');
      await claude.run('More.', 'resume', id);
      return [{ id, course: ['startup', 'crash', 'resumed', 'other'] }];
    },
  },
];

const SDK: Scenario[] = [
  ofSdk(
    'query',
    { sdk_query: answers('20 bash 60000', 'bash 0+90000', 'bash 90000+40000', 'bash 20000', 'say 20500') },
    ['auto'],
    async ({ query }, options, session) => {
      for await (const _message of trackQuery(query, { session })({ prompt: 'script:sdk_query', options }));
      return 1;
    },
  ),
  ofSdk(
    'restarts',
    { sdk_restarts: answers('20 bash 60000', 'bash 0+90000', 'bash 90000+40000', 'bash 20000', 'say 20500') },
    ['auto'],
    async ({ query }, options, session) => {
      const agent = createClaudeAgent({ query, options });
      await runWithRestarts({
        agent,
        prompt: 'script:sdk_restarts',
        session,
        restartLine: 2,
        endsSession: false,
      });
      return 1;
    },
  ),
  ofSdk(
    'own hook',
    { sdk_hook: answers('bash 0+90000', 'bash 90000+40000', 'bash 20000', 'say 20500') },
    ['auto'],
    async ({ query }, options, session) => {
      const hooks = preCompactHooks({ ...(session && { session }), ...hookSettings(options) });
      for await (const _message of trackQuery(query, { session })({
        prompt: 'script:sdk_hook',
        options: { ...options, hooks },
      }));
      return 1;
    },
  ),
  ofSdk(
    'sub-agent and manual',
    {
      sdk_manual: answers('delegate 0+30000', 'say 30000', 'say 5000+3000'),
      sdk_helper: answers('6 bash 0+4000', 'say 4000'),
    },
    ['manual'],
    async ({ query, model }, options, session) => {
      const tracked = trackQuery(query, { session });
      for await (const _message of tracked({ prompt: 'script:sdk_manual', options }));
      const resumed = { ...options, resume: model.sessionOf('sdk_manual') };
      for (const prompt of [COMPACT, 'More.'])
        for await (const _message of tracked({ prompt, options: resumed }));
      return 3;
    },
  ),
];

const CODEX: Scenario[] = [
  continued('codex', 'manual', answers('exec 0+30000', 'say 30000', 'exec 5000+3000', 'say 8000'), {
    prompts: [COMPACT, 'More.'],
    compactions: ['manual'],
    // The client compacts by hand in its `app-server`, which runs only hooks that the user trusts.
    course: ['startup', 'other', 'resumed', 'resumed', 'other'],
    lacks: ['archives'],
  }),
  continued(
    'codex',
    'resume',
    answers('exec 0+9000', '20 exec 9000+120', 'say 9000+120', '8 exec 9120', 'say 9200'),
    { prompts: ['More.'] },
  ),
  continued(
    'codex',
    'automatic',
    answers('exec 0+90000', 'exec 90000+40000', 'say 20000', 'exec 20500+90000', 'say 21000'),
    { prompts: ['More.'], compactions: ['auto', 'auto'] },
  ),
  forked('codex', answers('exec 0+7000', 'say 7000', 'exec 7100', 'say 7200', 'say 7300', 'say 7400')),
  {
    client: 'codex',
    name: 'sub-agent',
    scripts: {
      codex_spawn: answers('spawn 0+8000', '2 wait 8000', '6 exec 8000', 'say 8100'),
      codex_helper: answers('8 exec 0+3000', 'say 3000'),
    },
    run: async ({ codex, model }) => {
      const id = await codex.run('script:codex_spawn');
      const helper = model.sessionOf('codex_helper');
      return [
        { id, course: courseOf('codex', 'startup', 1) },
        { id: helper, course: ['fork', 'finished'], forkedFrom: id },
      ];
    },
  },
];

const GEMINI: Scenario[] = [
  continued(
    'gemini',
    'manual',
    // The client refuses a compaction that does not make the history shorter.
    [
      { text: Array.from({ length: 1_000 }, () => randomUUID()).join(' ') },
      ...answers('2 shell 9000', 'say 9000', 'shell 5000', 'say 6000'),
    ],
    {
      prompts: ['More.', COMPACT, 'More.'],
      compactions: ['manual'],
      // The client runs the hook that archives.
      lacks: [],
    },
  ),
  continued('gemini', 'resume', answers('18 shell 9000', 'say 9100', '16 shell 9200', 'say 9300'), {
    prompts: ['More.'],
  }),
  continued('gemini', 'automatic', answers('shell 90000', 'say 91000', 'shell 120000', 'say 9000'), {
    prompts: ['More.'],
    compactions: ['auto'],
  }),
  continued('gemini', 'sub-agent', answers('invoke 8000', 'say 8100', 'say 8200'), {
    prompts: ['More.'],
    others: { gemini_helper: answers('12 shell 3000', 'complete 3100') },
  }),
];

const OPENCODE: Scenario[] = [
  continued('opencode', 'manual', answers('run 0+30000', 'say 30000', 'run 5000+3000', 'say 8000'), {
    prompts: [COMPACT, 'More.'],
    compactions: ['manual'],
  }),
  continued('opencode', 'resume', answers('20 run 0+9000', 'say 9000+120', '14 run 9120', 'say 9200'), {
    prompts: ['More.'],
  }),
  continued('opencode', 'automatic', answers('run 0+90000', 'run 90000+105000', 'say 20000', 'say 20100'), {
    prompts: ['More.'],
    compactions: ['auto'],
  }),
  continued('opencode', 'sub-agent', answers('task 0+8000', 'say 8000', 'say 8100'), {
    prompts: ['More.'],
    others: { opencode_helper: answers('12 run 0+3000', 'say 3000') },
  }),
  forked('opencode', answers('run 0+7000', 'say 7000', 'say 7100', 'say 7200', 'say 7300')),
];

export const SCENARIOS = [...CLAUDE, ...SDK, ...CODEX, ...GEMINI, ...OPENCODE];
