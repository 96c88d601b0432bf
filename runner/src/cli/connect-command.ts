import { createTwoFilesPatch } from 'diff';
import { clientNamed } from '../../../core/agents/clients';
import { AGENT_NAMES, clientRefusals, type FoundAgent, findAgents, WATCHED } from '../connect/agents';
import {
  commandLine,
  hasTextHook,
  headersHelper,
  hookLine,
  keyAddress,
  type OwnCommand,
  statusLineReport,
  type TextHook,
  textHookLine,
} from '../connect/client-commands';
import { hasCodexMcp, hasCodexTelemetry } from '../connect/codex-tables';
import { hasMcpServer, hasTelemetry, SettingsProblem, sendsTelemetry } from '../connect/edit-settings';
import { MCP_NAME, mcpServer } from '../connect/mcp-server';
import { logsEndpoint } from '../connect/otlp-headers';
import { findService, planRemoval, planService, ServiceProblem } from '../connect/services';
import {
  backupsIn,
  type Change,
  connectedFiles,
  planCodex,
  planConnect,
  planDisconnect,
  planMcp,
  planToken,
  planTokenRemoval,
  readBefore,
} from '../connect/settings-files';
import { keptCommand } from '../server/server-package';
import { ownVariables, type RunnerSettings, variablesOfShell } from '../settings';
import {
  CONFIG_OPTION,
  type Command,
  type CommandContext,
  type Options,
  type Output,
  TRANSCRIPT_OPTIONS,
  textValue,
  UsageError,
  type Values,
} from './command';
import { configFolderFor, explain, noServer, readOrExplain } from './connection';
import { printFindings } from './doctor-command';
import { examineAgents } from './doctor-findings';

const REVIEW_OPTIONS: Options = {
  yes: { type: 'boolean', short: 'y', help: 'write the changes without asking' },
  'dry-run': { type: 'boolean', help: 'show the changes and write nothing' },
  ...CONFIG_OPTION,
};
/** Options that add hooks, and the program of these hooks. */
const TEXT_OPTIONS: Readonly<Record<string, TextHook>> = { recall: 'recall-hook', warn: 'warn-hook' };
const MANY = { least: 0, most: Number.POSITIVE_INFINITY };

export const connectCommand: Command = {
  name: 'connect',
  summary: 'connect the agents on this machine',
  usage: 'barograph connect [AGENT…] [OPTIONS]',
  details: `Adds hooks to the settings of the given agents (${AGENT_NAMES.join(', ')}), or of all agents on this machine.
Claude Code also gets a status line, which reports the size of the context and still prints your own line. Claude Code,
Codex and Gemini CLI get OTLP settings, which send their calls. It never changes your own OTLP settings. The added
commands contain the paths and the data folder of this machine, and the given options. \`barograph watch\` runs in the
background: as a systemd user unit or a launchd agent.

The command shows each change and asks before it writes. The original files stay in CONFIG/connect.`,
  options: {
    list: { type: 'boolean', help: 'list the agents and write nothing' },
    recall: { type: 'boolean', help: 'add the hooks for recall notes, which `barograph recall` turns on' },
    warn: { type: 'boolean', help: 'add the hooks for warnings, which `barograph recall warn` turns on' },
    mcp: { type: 'boolean', help: 'add `barograph mcp` to the MCP servers of Claude Code and Codex' },
    'no-otlp': { type: 'boolean', help: 'write no OTLP settings' },
    'no-watch': { type: 'boolean', help: 'do not start `barograph watch` in the background' },
    ...REVIEW_OPTIONS,
    ...TRANSCRIPT_OPTIONS,
  },
  positionals: MANY,
  run: (context) => orProblem(context, runConnect),
};

export const disconnectCommand: Command = {
  name: 'disconnect',
  summary: 'remove Barograph from the settings of agents',
  usage: 'barograph disconnect [AGENT…] [OPTIONS]',
  details: `Restores the settings from before \`barograph connect\`, byte for byte. If you changed a file since, the command removes
only the entries of Barograph.`,
  options: REVIEW_OPTIONS,
  positionals: MANY,
  run: (context) => orProblem(context, runDisconnect),
};

type Run = (context: CommandContext) => Promise<number>;

async function orProblem(context: CommandContext, run: Run): Promise<number> {
  try {
    return await run(context);
  } catch (error) {
    const isExpected = error instanceof SettingsProblem || (error instanceof Error && 'syscall' in error);
    if (!isExpected) throw error;
    context.out.problem(error.message);
    return 1;
  }
}

async function runConnect(context: CommandContext): Promise<number> {
  const { values, positionals, out, now } = context;
  const settings = readOrExplain(values);
  if (values.list === true) return printFindings(out, await examineAgents(settings, now()));
  const chosen = chooseAgents(positionals);
  const given = textValue(values, 'token');
  const token = given === undefined ? null : planToken(given, tokensFolder());
  const own = ownCommand(values, token?.file ?? null, out);
  const watch = {
    ...own,
    variables: [...own.variables, ...findAgents().flatMap(({ variables }) => variables)],
  };
  const service = values['no-watch'] === true ? [] : planService(watchService(watch));
  const isWatched = service !== null && (service.length > 0 || findService('watch') !== null);
  const helper = values['no-otlp'] === true ? null : headersCommand(own, settings, isWatched);
  const isTaken = hasTelemetry(variablesOfShell());
  const { url, secret } = settings;
  const address =
    url !== null && secret !== null && values['no-otlp'] !== true ? keyAddress(url, secret) : null;
  const planAgent = (agent: FoundAgent): Change[] => {
    const { label, file, hooks, textHooks, hasStatusLine, otlp, telemetryFile, mcpFile } = agent;
    if (file === null) {
      out.line(`${label} ${WATCHED}.`);
      return [];
    }
    const statusLine = hasStatusLine === true ? statusLineReport(own) : null;
    const authority = { command: helper, key: address }[otlp ?? 'key'];
    const sends = otlp !== undefined && !isTaken && authority !== null;
    const former = readBefore(file);
    const texts = Object.entries(TEXT_OPTIONS).flatMap(([option, name]) => {
      const isWanted = values[option] === true || hasTextHook(former, name);
      return isWanted && textHooks ? [{ events: textHooks[name], command: textHookLine(own, name) }] : [];
    });
    const entries = {
      ...hooks,
      hook: hookLine(own),
      texts,
      statusLine,
      headersHelper: sends && otlp === 'command' ? helper : null,
      keyAddress: sends && otlp === 'key' && telemetryFile === null ? address : null,
    };
    const backups = backupsOf(values);
    const change = planConnect(file, entries, backups, agent);
    const server = mcpFile !== null && (values.mcp === true || hasMcp(mcpFile)) ? mcpServer(own) : null;
    if (telemetryFile !== null) {
      const endpoint = sends && address !== null ? `${address}/v1/logs` : null;
      change.push(...planCodex(telemetryFile, { endpoint, mcp: server }, backups, agent));
    } else if (mcpFile !== null && server !== null) change.push(...planMcp(mcpFile, server, backups, agent));
    const planned = (path: string) =>
      change.find((each) => each.file === path)?.after ?? readBefore(path) ?? '';
    const isSet =
      telemetryFile === null
        ? sendsTelemetry(planned(file) || '{}')
        : hasCodexTelemetry(planned(telemetryFile));
    if (authority !== null && otlp !== undefined && !isSet)
      out.line(`${label} keeps your own OTLP settings. Barograph adds none.`);
    else if (authority === null && helper !== null)
      out.line(`${label} gets no OTLP settings, because the server is on another machine.`);
    if (server !== null && mcpFile !== null && !hasMcp(mcpFile, planned(mcpFile)))
      out.line(`${label} keeps your own MCP server "${MCP_NAME}".`);
    if (change.length === 0) out.line(`${label} is connected already: ${file}`);
    return change;
  };
  const failed = new Set<FoundAgent>();
  const plans = chosen.map((agent) => ({
    agent,
    changes: attempt(out, agent, failed, () => planAgent(agent)) ?? [],
  }));
  if (failed.size === chosen.length) return 1;
  const shared = token?.changes ?? [];
  const agentChanges = plans.flatMap(({ changes }) => changes);
  const outcome = await review(context, [...shared, ...agentChanges, ...(service ?? [])]);
  if (outcome === 'declined') return 1;
  let problem: string | null = null;
  if (outcome === 'agreed') {
    for (const change of shared) change.apply();
    for (const { agent, changes } of plans)
      attempt(out, agent, failed, () => {
        for (const change of changes) change.apply();
        if (changes.length > 0) checkWithClient(agent);
      });
    problem = failed.size === chosen.length ? null : startService(service ?? []);
  }
  const connected = chosen.filter((agent) => !failed.has(agent));
  if (service === null && connected.length > 0)
    out.line(`Leave this command running: ${commandLine(watch, 'watch')}`);
  const isWatchedOnly = service === null && connected.some(({ file }) => file === null);
  if (connected.length > 0 && (outcome === 'agreed' || (outcome === 'none' && isWatchedOnly))) {
    out.line(`Connected: ${labelsOf(connected)}. New sessions will appear.`);
    for (const { note } of connected) if (note !== undefined) out.line(note);
    if (settings.url === null) out.problem(noServer(settings.dataFolder));
  }
  if (failed.size > 0) out.line(`Not connected: ${labelsOf([...failed])}.`);
  if (problem !== null) out.problem(problem);
  return problem === null && failed.size === 0 ? 0 : 1;
}

/** Start the service, last. @returns why it does not run; null if it does */
function startService(changes: readonly Change[]): string | null {
  try {
    for (const change of changes) change.apply();
    return null;
  } catch (error) {
    if (!(error instanceof ServiceProblem)) throw error;
    return `Agents are connected, but ${error.message}`;
  }
}

/** Runs a step for one agent. If it fails, the reason is shown, and the other agents go on. */
function attempt<T>(out: Output, agent: FoundAgent, failed: Set<FoundAgent>, step: () => T): T | null {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof SettingsProblem)) throw error;
    failed.add(agent);
    out.problem(error.message);
    return null;
  }
}

/** @throws SettingsProblem if the agent's own program refuses a part of its settings */
function checkWithClient(agent: FoundAgent): void {
  const refused = clientRefusals(agent);
  if (refused.length > 0) throw new SettingsProblem(`${agent.label} refuses: ${refused.join('; ')}`);
}

async function runDisconnect(context: CommandContext): Promise<number> {
  const { values, positionals, out } = context;
  const named = agentsNamed(positionals);
  const remaining = findAgents().filter(
    ({ isConnected, name }) => isConnected !== false && !named.some((each) => each.name === name),
  );
  const backups = backupsOf(values);
  const failed = new Set<FoundAgent>();
  const changes = named.flatMap((agent) => {
    const { name, file, telemetryFile, mcpFile } = agent;
    const paths = new Set([file, telemetryFile, mcpFile, ...connectedFiles(name, backups)]);
    return [...paths].flatMap((path) =>
      path === null ? [] : (attempt(out, agent, failed, () => planDisconnect(path, backups)) ?? []),
    );
  });
  if (remaining.length === 0) changes.push(...planRemoval('watch'), ...planTokenRemoval(tokensFolder()));
  const isWatching = findService('watch') !== null && remaining.length > 0;
  if (isWatching) out.line(`\`barograph watch\` keeps running for ${labelsOf(remaining)}.`);
  if (changes.length === 0 && failed.size === 0 && !(isWatching && named.every(({ file }) => file === null)))
    out.line(positionals.length === 0 ? 'No agent is connected.' : `Not connected: ${labelsOf(named)}.`);
  const outcome = await review(context, changes);
  if (outcome === 'agreed') {
    for (const change of changes) change.apply();
    out.line('Disconnected.');
  }
  return outcome === 'declined' || failed.size > 0 ? 1 : 0;
}

const labelsOf = (agents: readonly FoundAgent[]) => agents.map(({ label }) => label).join(', ');

/** Agents by name, or all. @throws UsageError for an unknown name */
function agentsNamed(names: readonly string[]): FoundAgent[] {
  const found = findAgents();
  if (names.length === 0) return found;
  return names.map((name) => {
    const agent = found.find((each) => each.name === clientNamed(name)?.name);
    if (agent !== undefined) return agent;
    throw new UsageError(`Unknown agent "${name}". Known agents: ${AGENT_NAMES.join(', ')}.`);
  });
}

/** @throws UsageError if a named agent is not on this machine, or if no agent is found */
function chooseAgents(names: readonly string[]): FoundAgent[] {
  const chosen = agentsNamed(names).filter(({ label, isFound, folder, program }) => {
    if (!isFound && names.length > 0)
      throw new UsageError(`${label} was not found: no folder ${folder}, and no program "${program}"`);
    return isFound;
  });
  if (chosen.length === 0) throw new UsageError('No supported agent was found.');
  return chosen;
}

/** Shows the changes, and asks whether to write them. */
async function review(
  { values, out, confirm }: CommandContext,
  changes: readonly Change[],
): Promise<'none' | 'shown' | 'agreed' | 'declined'> {
  for (const { file, before, after, isSecret } of changes) {
    const [from, to] = [before === null ? '/dev/null' : file, after === null ? '/dev/null' : file];
    const shown = (text: string | null) => (isSecret && text !== null ? '(the token)' : (text ?? ''));
    const [, ...diff] = createTwoFilesPatch(from, to, shown(before), shown(after), '', '', {
      context: 3,
    }).split('\n');
    for (const line of diff) out.line(line.trimEnd());
  }
  if (changes.length === 0) return 'none';
  if (values['dry-run'] === true) return 'shown';
  if (values.yes !== true) {
    if (confirm === undefined)
      throw new UsageError('Nothing was written. Use --yes to write without asking.');
    if (!(await confirm('Write these changes?'))) {
      out.line('Nothing was written.');
      return 'declined';
    }
  }
  return 'agreed';
}

const watchService = ({ variables, node, entry }: OwnCommand) =>
  ({
    name: 'watch',
    description: 'transcripts of agents on this machine',
    variables,
    command: [node, entry, 'watch'],
    log: null,
  }) as const;

/** Tokens are stored in the default folder, because several agents and the service share them. */
const tokensFolder = () => backupsIn(configFolderFor({}));
const backupsOf = (values: Values) => backupsIn(configFolderFor(values));

/** Whether a file has Barograph's MCP server; a later `connect` keeps it. */
function hasMcp(file: string, text = readBefore(file)): boolean {
  return text !== null && (file.endsWith('.toml') ? hasCodexMcp(text) : hasMcpServer(text));
}

/** The command that prints the headers for OTLP; null if no server or no stored token is known. */
function headersCommand(
  own: OwnCommand,
  { url, token, secret }: RunnerSettings,
  isWatched: boolean,
): string | null {
  const isStored = secret !== null || own.variables.some((each) => each.startsWith('BAROGRAPH_TOKEN_FILE='));
  return url !== null && token !== null && isStored ? headersHelper(own, logsEndpoint(url), isWatched) : null;
}

/** Agents run commands without the variables of this shell, so the commands contain all paths and settings. */
function ownCommand(values: Values, tokenFile: string | null, out: Output): OwnCommand {
  const { variables, withoutToken } = explain(() => ownVariables(values, tokenFile));
  const [, started = 'barograph'] = process.argv;
  const isTemporary = /[\\/]_npx[\\/]/.test(started);
  const entry = (isTemporary && keptCommand(readOrExplain(values).dataFolder)) || started;
  if (withoutToken)
    out.problem(
      'BAROGRAPH_TOKEN is a secret and is not saved, so `barograph watch` cannot report. Use --token to save it.',
    );
  if (isTemporary && entry === started)
    out.problem(
      'This copy belongs to the npx cache, which may be cleared: run npm install -g barograph first.',
    );
  return { variables, node: process.execPath, entry };
}
