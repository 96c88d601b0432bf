/** What a real client does in each scenario, with the model's answers. */
import { randomUUID } from 'node:crypto';
import { createClaudeAgent, runWithRestarts } from '@/runner/src/restart';
import { trackQuery } from '@/runner/src/sdks';
import type { ReadApi } from '../support/read-api';
import type { TestRunner } from '../support/runner';
import { type ClientHome, STATUS_LINE } from './client-home';
import type { CodexHome } from './codex-home';
import type { ExpectedSession } from './compare-ledger';
import type { GeminiHome } from './gemini-home';
import type { Answer, ModelServer } from './model-server';
import type { OpencodeHome } from './opencode-home';

export interface World {
  client: ClientHome;
  codex: CodexHome;
  gemini: GeminiHome;
  opencode: OpencodeHome;
  model: ModelServer;
  api: ReadApi;
  /** The Agent SDK's function. */
  query: (params: { prompt: string; options?: Record<string, unknown> }) => AsyncIterable<unknown>;
  /** Reports the SDK's session too; null: only `watch` and the hook report. */
  runner: TestRunner | null;
}

export interface Scenario {
  name: string;
  /** The model's answers, by script. */
  scripts: Record<string, Answer[]>;
  run: (world: World) => Promise<ExpectedSession[]>;
}

const TOOLS: Record<string, Answer['tool']> = {
  bash: { name: 'Bash', input: { command: 'echo done', description: 'Test' } },
  // The tools of Codex.
  exec: { name: 'exec_command', input: { cmd: 'echo done' } },
  wait: { name: 'exec_command', input: { cmd: 'sleep 2' } },
  spawn: { name: 'spawn_agent', namespace: 'multi_agent_v1', input: { message: 'script:codex_helper' } },
  // The tools of Gemini CLI.
  shell: { name: 'run_shell_command', input: { command: 'echo done', description: 'Test' } },
  invoke: { name: 'invoke_agent', input: { agent_name: 'generalist', prompt: 'script:gemini_helper' } },
  complete: { name: 'complete_task', input: { result: 'Done.' } },
  // The tools of OpenCode.
  run: { name: 'bash', input: { command: 'echo done', description: 'Test' } },
  task: {
    name: 'task',
    input: { description: 'Look', prompt: 'script:opencode_helper', subagent_type: 'general' },
  },
};

/** Answers from texts such as `bash 9000+120`: a tool call, 9 000 cache reads and 120 tokens of cache creation. */
function answers(...lines: string[]): Answer[] {
  return lines.map((line) => {
    const [kind, cacheRead = 0, cacheCreation = 0] = line.split(/[ +]/);
    const usage = { cacheRead: Number(cacheRead), cacheCreation: Number(cacheCreation) };
    const tool = TOOLS[kind ?? ''];
    return tool === undefined ? { usage } : { tool, usage };
  });
}

/** Runs prompts in print mode, each in its own process, in one session. The first prompt names the script. */
function printed(
  name: string,
  script: Answer[],
  prompts: string[] = [],
  compactions: ExpectedSession['compactions'] = [],
): Scenario {
  const run: Scenario['run'] = async ({ client }) => {
    const id = randomUUID();
    await client.print(`script:${name}`, ['--session-id', id]);
    for (const prompt of prompts) await client.print(prompt, ['--resume', id]);
    const course = ['startup', 'other', ...prompts.flatMap(() => ['resumed', 'other'])];
    return [{ id, course, compactions }];
  };
  return { name, scripts: { [name]: script }, run };
}

const TOO_LONG: Answer = { refusal: 'prompt is too long: 205000 tokens > 200000 maximum' };
const AGENT = { description: 'Look', prompt: 'script:helper', subagent_type: 'general-purpose' };
const TASK: Answer = { tool: { name: 'Task', input: { ...AGENT, run_in_background: false } } };
const ONCE = ['startup', 'other'];
const TWICE = [...ONCE, 'resumed', 'other'];
/** The client refuses to sleep. */
const WAIT: Answer = {
  tool: { name: 'Bash', input: { command: 'timeout 20 tail -f /dev/null', description: 'Test' } },
};
const BLOCK = { hooks: { PreCompact: [{ hooks: [{ type: 'command', command: 'sleep 1; exit 2' }] }] } };
const FULL = 'bash 90000+40000';

export const SCENARIOS: Scenario[] = [
  printed('resume', answers('bash 0+9000', 'bash 9000+120', 'say 9120', 'bash 9200', 'say 9300'), ['More.']),
  printed('manual', answers('bash 0+30000', 'say 30000', 'say 5000+3000'), ['/compact', 'More.'], ['manual']),
  printed('automatic', answers('bash 0+90000', FULL, 'bash 20000', FULL, 'say 21000'), [], ['auto', 'auto']),
  printed('between', answers('bash 0+90000', 'say 90000+40000', 'say 20500'), ['More.'], ['auto']),
  printed(
    'refused',
    [...answers('bash 0+90000'), TOO_LONG, ...answers('bash 20000', 'say 20500')],
    [],
    ['auto'],
  ),
  {
    name: 'fork',
    scripts: { fork: answers('bash 0+7000', 'say 7000', 'say 7100', 'say 7200') },
    run: async ({ client }) => {
      const [id, fork] = [randomUUID(), randomUUID()];
      await client.print('script:fork', ['--session-id', id]);
      await client.print('Another way.', ['--resume', id, '--fork-session', '--session-id', fork]);
      await client.print('More.', ['--resume', id]);
      return [
        { id, course: TWICE },
        { id: fork, course: ['fork', 'other'], forkedFrom: id },
      ];
    },
  },
  {
    name: 'blocked',
    scripts: { blocked: answers('say 0+30000', 'say 30000') },
    run: async ({ client }) => {
      const id = randomUUID();
      await client.print('script:blocked', ['--session-id', id]);
      await client.print('/compact', ['--resume', id, '--settings', JSON.stringify(BLOCK)]);
      await client.print('More.', ['--resume', id]);
      return [{ id, course: [...TWICE, 'resumed', 'other'], blocked: true }];
    },
  },
  {
    name: 'sub-agents',
    scripts: { delegate: [TASK, ...answers('say 12000')], helper: answers('bash 0+4000', 'say 4000') },
    run: printed('delegate', []).run,
  },
  {
    name: 'interactive',
    scripts: {
      typed: answers('bash 0+15000', 'say 15000', 'say 6000'),
      cleared: answers('bash 6000+700', 'say 6700'),
    },
    run: async ({ client, model }) => {
      const id = randomUUID();
      const terminal = client.open(['--session-id', id]);
      await until(() => terminal.screen.includes(STATUS_LINE), 'status line of the client');
      const enter = async (line: string, calls: number) => {
        const count = model.ledger.length + calls;
        await terminal.type(line);
        await until(() => model.ledger.length >= count, `answer to ${line}`);
        await pause(2_000);
      };
      await enter('script:typed', 2);
      await enter('/compact', 1);
      await enter('More.', 1);
      await enter('/clear', 0);
      await enter('script:cleared', 2);
      await terminal.type('/exit');
      await terminal.ended;
      const next = model.ledger.at(-1)?.session ?? '';
      return [
        { id, course: ['startup', 'clear'], compactions: ['manual'], hasWindow: true },
        { id: next, course: ['clear', 'prompt_input_exit'], previous: id, hasWindow: true },
      ];
    },
  },
  {
    name: 'kill',
    scripts: { kill: [WAIT, ...answers('bash 11000', 'say 11050')] },
    run: async ({ client, model, api }) => {
      const id = randomUUID();
      const program = client.start(['-p', 'script:kill', '--session-id', id]);
      await until(() => model.ledger.at(-1)?.session === id, 'first call');
      await pause(1_500);
      program.signal('SIGKILL');
      const { signal } = await program.ended;
      if (signal !== 'SIGKILL') throw new Error('The client ended before its kill.');
      const ended = async () =>
        (await api.sessions()).some(
          ({ clientSessionIds, endedAt }) => clientSessionIds.includes(id) && endedAt !== null,
        );
      await until(ended, 'end of the killed session');
      await client.print('More.', ['--resume', id]);
      return [{ id, course: ['startup', 'crash', 'resumed', 'other'] }];
    },
  },
  {
    name: 'sdk',
    scripts: { sdk: answers('bash 0+90000', 'bash 90000+40000', 'bash 20000', 'say 20500') },
    run: async ({ client, model, query, runner }) => {
      const { work: cwd, variables: env } = client;
      const options = { cwd, env, settingSources: ['user'], allowedTools: ['Bash'] };
      const session = runner?.session(`sdk-${randomUUID()}`, { title: 'SDK' });
      const agent = createClaudeAgent({ query, options });
      await runWithRestarts({ agent, prompt: 'script:sdk', session, threshold: 5 });
      session?.end({ reason: 'other' });
      return [{ id: model.ledger.at(-1)?.session ?? '', course: ONCE, compactions: ['auto'] }];
    },
  },
  {
    name: 'sdk query',
    scripts: { sdk_query: answers('bash 0+90000', 'bash 90000+40000', 'bash 20000', 'say 20500') },
    run: async ({ client, model, query, runner }) => {
      const { work: cwd, variables: env } = client;
      const options = { cwd, env, settingSources: ['user'], allowedTools: ['Bash'] };
      const session = runner?.session(`query-${randomUUID()}`, { title: 'SDK' });
      const tracked = trackQuery(query, { session });
      for await (const _message of tracked({ prompt: 'script:sdk_query', options }));
      session?.end({ reason: 'other' });
      return [{ id: model.ledger.at(-1)?.session ?? '', course: ONCE, compactions: ['auto'] }];
    },
  },
  {
    name: 'codex resume',
    scripts: { codex: answers('exec 0+9000', 'say 9000+120', 'exec 9120', 'say 9200') },
    run: async ({ codex }) => {
      const id = await codex.exec('script:codex');
      await codex.exec('More.', 'resume', id);
      return [{ id, course: TWICE }];
    },
  },
  {
    name: 'codex automatic',
    scripts: {
      codex_auto: answers('exec 0+90000', 'exec 90000+40000', 'say 20000', 'exec 20500+90000', 'say 21000'),
    },
    run: async ({ codex }) => {
      const id = await codex.exec('script:codex_auto');
      await codex.exec('More.', 'resume', id);
      return [{ id, course: TWICE, compactions: ['auto', 'auto'] }];
    },
  },
  {
    name: 'codex fork',
    scripts: { codex_fork: answers('exec 0+7000', 'say 7000', 'exec 7100', 'say 7200', 'say 7300') },
    run: async ({ codex }) => {
      const id = await codex.exec('script:codex_fork');
      const fork = await codex.exec('Another way.', 'fork', id);
      await codex.exec('More.', 'resume', id);
      return [
        { id, course: TWICE },
        { id: fork, course: ['fork', 'other'], forkedFrom: id },
      ];
    },
  },
  {
    name: 'codex sub-agent',
    scripts: {
      codex_spawn: answers('spawn 0+8000', 'wait 8000', 'say 8100'),
      codex_helper: answers('exec 0+3000', 'say 3000'),
    },
    run: async ({ codex, model }) => {
      const from = model.ledger.length;
      const id = await codex.exec('script:codex_spawn');
      const helper = model.ledger.slice(from).find(({ session }) => session !== id)?.session ?? '';
      return [
        { id, course: ONCE },
        { id: helper, course: ['fork', 'finished'], forkedFrom: id },
      ];
    },
  },
  gemini('gemini resume', answers('shell 9000', 'say 9100', 'shell 9200', 'say 9300')),
  gemini('gemini automatic', answers('shell 90000', 'say 91000', 'shell 120000', 'say 9000'), ['auto']),
  gemini('gemini sub-agent', answers('invoke 8000', 'say 8100', 'say 8200'), [], {
    gemini_helper: answers('shell 3000', 'complete 3100'),
  }),
  opencode('opencode resume', answers('run 0+9000', 'say 9000+120', 'run 9120', 'say 9200')),
  opencode('opencode automatic', answers('run 0+90000', 'run 90000+105000', 'say 20000', 'say 20100'), [
    'auto',
  ]),
  opencode('opencode sub-agent', answers('task 0+8000', 'say 8000', 'say 8100'), [], {
    opencode_helper: answers('run 0+3000', 'say 3000'),
  }),
  {
    name: 'opencode fork',
    scripts: { opencode_fork: answers('run 0+7000', 'say 7000', 'say 7100', 'say 7200') },
    run: async ({ opencode: client }) => {
      const id = await client.run('script:opencode_fork');
      const fork = await client.run('Another way.', '--session', id, '--fork');
      await client.run('More.', '--session', id);
      return [
        { id, course: ['startup'], lacks: UNSEEN_IN_OPENCODE },
        { id: fork, course: ['fork'], lacks: UNSEEN_IN_OPENCODE },
      ];
    },
  },
];

const UNSEEN_IN_OPENCODE = ['telemetry', 'end', 'archives'] as const;

/** Two prompts of Gemini CLI in one session. Requests name no session, but each contains the name of its script. */
function gemini(
  name: string,
  script: Answer[],
  compactions: ExpectedSession['compactions'] = [],
  others: Scenario['scripts'] = {},
): Scenario {
  const own = name.replaceAll(/\W/g, '_');
  const scripts = { [own]: script, ...others };
  const run: Scenario['run'] = async ({ gemini: client, model }) => {
    const id = await client.run(`script:${own}`);
    await client.run('More.', true);
    for (const each of Object.keys(scripts)) model.nameSession(each, id);
    const course = ['startup', 'exit', 'resumed', 'exit'];
    return [{ id, course, compactions, lacks: ['telemetry', 'calls of compactions', 'archives'] }];
  };
  return { name, scripts, run };
}

/** Two prompts of OpenCode in one session. */
function opencode(
  name: string,
  script: Answer[],
  compactions: ExpectedSession['compactions'] = [],
  others: Scenario['scripts'] = {},
): Scenario {
  const own = name.replaceAll(/\W/g, '_');
  const run: Scenario['run'] = async ({ opencode: client }) => {
    const id = await client.run(`script:${own}`);
    await client.run('More.', '--session', id);
    return [{ id, course: ['startup'], compactions, lacks: UNSEEN_IN_OPENCODE }];
  };
  return { name, scripts: { [own]: script, ...others }, run };
}

const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

async function until(isMet: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + 20_000; !(await isMet()); await pause(50))
    if (Date.now() > end) throw new Error(`No ${what} within 20 s.`);
}
