/** The agents that `barograph connect` knows, and their state on this machine. */
import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { clientNamed } from '../../../core/agents/clients';
import { AGENT_END, HOOK_EVENTS } from '../archive/read-hook-input';
import { locateProgram } from '../settings';
import { askClient, type ClientCheck, claudeDoctor, codexFeatures } from './check-with-client';
import type { TextHook } from './client-commands';
import { countEntries, type Entries, SettingsProblem } from './edit-settings';
import { findService } from './services';
import { readSettingsFile, refusalOf } from './settings-files';
import type { SettingsRules } from './settings-rules';

interface Agent {
  /** As in core/agents/clients. */
  name: string;
  /** Name of the executable. */
  program: string;
  /** Folder of the agent's settings or data, below the folder that the client's variable sets. */
  folder?: string;
  /** JSON file with hooks in the agent's folder; null: the agent has no hooks, and only `watch` reads its sessions. */
  settings: string | null;
  /** How the agent reads its JSON files. */
  rules?: SettingsRules;
  /** How its program examines its settings, offline and without a log-in. */
  check?: ClientCheck;
  hooks?: Pick<Entries, 'events' | 'timeout'>;
  /** Events of the hooks that give the agent text of Barograph. Absent: the agent cannot get it. */
  textHooks?: Record<TextHook, Entries['events']>;
  hasStatusLine?: boolean;
  /** How the settings authorise OTLP: by a command that prints the token, or by the key in the address. */
  otlp?: 'command' | 'key';
  /** File with the OTLP settings, if it is not `settings`. */
  telemetry?: string;
  /** Whether `connect` can add the MCP server. */
  hasMcp?: boolean;
  /** What the user must know. */
  note?: string;
}

/** Shown instead of `connected` for an agent that Barograph reads without changing its settings. */
export const WATCHED = 'needs no settings: `barograph watch` reads its database';
const TRUST = 'Codex runs new hooks only after you trust them: enter /hooks in Codex.';

/** The timeout is in seconds. The hook answers within two seconds. */
const HOOKS = { events: HOOK_EVENTS.map((event) => ({ event })), timeout: 10 };
/** Codex shortens a longer timeout of SessionEnd, and warns of it at each start. */
const CODEX_HOOKS = {
  ...HOOKS,
  events: HOOKS.events.map((each) => (each.event === 'SessionEnd' ? { ...each, timeout: 3 } : each)),
};
/** Without the matcher, PreCompress would fire before every call of the model. The timeout is in milliseconds. */
const GEMINI_HOOKS = {
  events: [{ event: 'SessionStart' }, { event: 'SessionEnd' }, { event: 'PreCompress', matcher: 'manual' }],
  timeout: 10_000,
};

/** Only these starts follow a compaction. */
const COMPACTED = { event: 'SessionStart', matcher: 'compact' };
/** After these events the agent makes another call, which can contain a warning. */
const WARNED = [{ event: 'UserPromptSubmit' }, { event: 'PostToolUse' }];

const AGENTS: readonly Agent[] = [
  {
    name: 'claude-code',
    program: 'claude',
    settings: 'settings.json',
    rules: { hasComments: false, hasMark: true },
    check: claudeDoctor,
    hooks: { ...HOOKS, events: [...HOOKS.events, { event: AGENT_END }] },
    textHooks: { 'recall-hook': [{ event: 'SubagentStop' }, COMPACTED], 'warn-hook': WARNED },
    hasStatusLine: true,
    otlp: 'command',
    hasMcp: true,
  },
  {
    name: 'codex',
    program: 'codex',
    settings: 'hooks.json',
    rules: { hasComments: false, hasMark: false, names: ['description', 'hooks'] },
    check: codexFeatures,
    hooks: CODEX_HOOKS,
    textHooks: { 'recall-hook': [COMPACTED], 'warn-hook': WARNED },
    note: TRUST,
    otlp: 'key',
    telemetry: 'config.toml',
    hasMcp: true,
  },
  {
    name: 'gemini-cli',
    program: 'gemini',
    folder: '.gemini',
    settings: 'settings.json',
    rules: { hasComments: true, hasMark: false },
    hooks: GEMINI_HOOKS,
    otlp: 'key',
  },
  { name: 'opencode', program: 'opencode', folder: 'opencode', settings: null },
];

export const AGENT_NAMES = AGENTS.map(({ name }) => name);

/** An agent on this machine. */
export interface FoundAgent extends Agent {
  hooks: Pick<Entries, 'events' | 'timeout'>;
  label: string;
  /** Path of its program; null: not on PATH. */
  executable: string | null;
  /** Whether its folder or its program exists. */
  isFound: boolean;
  folder: string;
  /** The variable that sets the folder, as `NAME=value`. */
  variables: string[];
  file: string | null;
  /** Path of `telemetry`. */
  telemetryFile: string | null;
  /** File with the MCP servers; null: `connect` adds none. */
  mcpFile: string | null;
  /** Null: its settings cannot be read. Without settings: whether the service of `barograph watch` is installed. */
  isConnected: boolean | null;
  /** Why Barograph or the agent cannot read the settings; null if both can. */
  problem: string | null;
}

export function findAgents(): FoundAgent[] {
  return AGENTS.map((agent) => {
    const client = clientNamed(agent.name);
    const { variable = null, home = '' } = client?.transcripts ?? {};
    const place = locateProgram({ program: agent.program, variable, home });
    const { programs, variables } = place;
    const folder = join(place.folder, agent.folder ?? '');
    const file = agent.settings && join(folder, agent.settings);
    const telemetryFile = agent.telemetry === undefined ? null : join(folder, agent.telemetry);
    const label = client?.label ?? agent.name;
    const executable = programs.find(isExecutable) ?? null;
    const isFound = existsSync(folder) || executable !== null;
    const found = {
      hooks: HOOKS,
      ...agent,
      label,
      executable,
      isFound,
      folder,
      variables,
      file,
      telemetryFile,
      mcpFile: agent.hasMcp === true ? (telemetryFile ?? claudeState(folder, variables.length > 0)) : null,
      isConnected: false,
      problem: null,
    };
    try {
      if (file === null) return { ...found, isConnected: isFound && findService('watch') !== null };
      const text = readSettingsFile(file) ?? '';
      return { ...found, isConnected: countEntries(text) > 0, problem: refusalOf(text, found) };
    } catch (error) {
      if (!(error instanceof SettingsProblem)) throw error;
      return { ...found, isConnected: null, problem: error.message };
    }
  });
}

/** What the agent's own program refuses of its settings, with the file; empty also if it cannot be asked. */
export function clientRefusals({ executable, check, file, telemetryFile }: FoundAgent): string[] {
  const files = [file, telemetryFile].filter((each) => each !== null);
  return executable === null || check === undefined ? [] : askClient(executable, check, files);
}

/** Claude Code keeps its MCP servers beside its folder, or inside if a variable sets the folder. */
const claudeState = (folder: string, isSet: boolean) =>
  isSet ? join(folder, '.claude.json') : `${folder}.json`;

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
