import { findScenario, SCENARIO_NAMES } from '../../../core/scenario/find-scenario';
import type { Scenario } from '../../../core/scenario/types';
import { findNearest } from '../../../core/settings/read-settings';
import type { BarographClient } from '../client/client-types';
import { createClient } from '../client/create-client';
import { httpAddress } from '../proof/prove-server';
import { clientSettings } from '../transcripts/project-clients';
import { pause } from '../upload/retry';
import {
  CONNECTION_OPTIONS,
  type Command,
  type CommandContext,
  numberValue,
  textValue,
  UsageError,
  type Values,
} from './command';
import { settingsFor } from './connection';
import { addAlertRules, DEMO_PROJECT, importConversations, removeDemo } from './demo-project';
import { formatCount } from './output';
import { playScenario } from './play-scenario';

const CLOSE_MS = 5_000;
const HISTORY_MS = 60_000;

export const demoCommand: Command = {
  name: 'demo',
  summary: 'play a demo fleet',
  usage: 'barograph demo [OPTIONS]',
  details: `Plays a scenario with several runners through the real client: restarts, both kinds of compaction,
sub-agents, lost tracking, cache storms, overshoot. It sends the last hour at once as history, imports two conversations
with losses at a compaction, and then continues live until Ctrl-C. All sessions are in the project demo; --remove
deletes this project with its archives and alerts.`,
  options: {
    ...CONNECTION_OPTIONS,
    scenario: { type: 'string', value: 'NAME', help: SCENARIO_NAMES.join(' (default) or ') },
    seed: { type: 'string', value: 'N', help: 'seed of the random numbers' },
    speed: { type: 'string', value: 'X', help: 'speed factor (default 1)' },
    minutes: { type: 'string', value: 'N', help: 'end after this many minutes of the scenario' },
    run: { type: 'string', value: 'NAME', help: 'part of the session keys (default: new for each run)' },
    remove: { type: 'boolean', help: 'delete the project demo from the server' },
  },
  positionals: { least: 0, most: 0 },
  run: runDemo,
};

async function runDemo(context: CommandContext): Promise<number> {
  const { values, out, signal, now } = context;
  const run = textValue(values, 'run') ?? Math.floor(now() / 1000).toString(36);
  const scenario = scenarioOf(values, run);
  const speed = numberValue(values, 'speed', 0.01, 1_000) ?? 1;
  const settings = settingsFor(values);
  if (values.remove === true) return removeDemo(settings, context);
  await addAlertRules(settings, context);
  const clients: BarographClient[] = [];
  let refused = 0;
  const { items, sessions } = await playScenario({
    scenario,
    speed,
    signal,
    now,
    wait: (ms) => pause(ms, signal).catch(() => undefined),
    connect({ runner, project, source }) {
      const client = createClient({
        ...clientSettings({ ...settings, content: true }),
        project,
        runner,
        source,
        onRefused: ({ type, session, code, reason }) => {
          refused += 1;
          out.problem(`refused: ${type ?? 'item'} of ${session ?? '?'}: ${code}: ${reason}`);
        },
      });
      clients.push(client);
      return client;
    },
    async onBegin() {
      const results = await Promise.all(clients.map((client) => client.flush(HISTORY_MS)));
      if (results.some(({ delivered }) => !delivered)) {
        out.problem(`${settings.url} has not acknowledged the history yet. The items are queued on disk.`);
      }
      // The other scenario only measures size.
      if (!textValue(values, 'scenario')?.startsWith('fleet-of')) await importConversations(context, run);
      out.line(`The demo fleet is running: ${httpAddress(settings.url, '/')}   (Ctrl-C ends it)`);
    },
    onStep: (sent) => out.progress(`${formatCount(sent, 'item')} sent`),
  });
  const results = await Promise.all(clients.map((client) => client.close(CLOSE_MS)));
  const queued = results.reduce((sum, result) => sum + result.queued, 0);
  out.line(`Ended after ${formatCount(items, 'item')} of ${formatCount(sessions, 'session')}.`);
  if (queued > 0)
    out.problem(`${formatCount(queued, 'item')} are queued on disk, not acknowledged by ${settings.url}.`);
  return queued > 0 || refused > 0 ? 1 : 0;
}

function scenarioOf(values: Values, run: string): Scenario {
  const name = textValue(values, 'scenario') ?? SCENARIO_NAMES[0] ?? '';
  const seed = numberValue(values, 'seed', 0, Number.MAX_SAFE_INTEGER);
  const minutes = numberValue(values, 'minutes', 0, 100_000);
  const options = {
    run,
    project: DEMO_PROJECT,
    ...(seed !== undefined && { seed: Math.floor(seed) }),
    ...(minutes !== undefined && { minutes }),
  };
  try {
    return findScenario(name, options);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError(`Unknown scenario "${name}". Did you mean "${findNearest(name, SCENARIO_NAMES)}"?`);
  }
}
