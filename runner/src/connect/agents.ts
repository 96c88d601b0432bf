/** The agents that `barograph connect` knows, and their state on this machine. */
import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { clientNamed } from '../../../core/agents/clients';
import { HOOK_EVENTS } from '../archive/read-hook-input';
import { locateProgram } from '../settings';
import { countEntries, type Entries, SettingsProblem } from './edit-settings';
import { findService } from './services';
import { readSettingsFile } from './settings-files';

interface Agent {
  /** As in core/agents/clients. */
  name: string;
  /** Name of the executable. */
  program: string;
  /** Folder of the agent's settings or data, below the folder that the client's variable sets. */
  folder?: string;
  /** JSON file with hooks in the agent's folder; null: the agent has no hooks, and only `watch` reads its sessions. */
  settings: string | null;
  hooks?: Pick<Entries, 'events' | 'timeout'>;
  /** Events of the hooks that give the agent its recall note. Absent: the agent cannot get a note. */
  recallEvents?: Entries['events'];
  hasStatusLine?: boolean;
  /** How the settings store the token for OTLP. `connect` writes OTLP settings only for `command`. */
  otlpToken?: 'command' | 'plain text';
  /** What the user must know. */
  note?: string;
}

/** Shown instead of `connected` for an agent that Barograph reads without changing its settings. */
export const WATCHED = 'needs no settings: `barograph watch` reads its database';
const TRUST = 'Codex runs new hooks only after you trust them: enter /hooks in Codex.';

/** The timeout is in seconds. The hook answers within two seconds. */
const HOOKS = { events: HOOK_EVENTS.map((event) => ({ event })), timeout: 10 };
/** Without the matcher, PreCompress would fire before every call of the model. The timeout is in milliseconds. */
const GEMINI_HOOKS = {
  events: [{ event: 'SessionStart' }, { event: 'SessionEnd' }, { event: 'PreCompress', matcher: 'manual' }],
  timeout: 10_000,
};

/** Only these starts follow a compaction. */
const COMPACTED = { event: 'SessionStart', matcher: 'compact' };

const AGENTS: readonly Agent[] = [
  {
    name: 'claude-code',
    program: 'claude',
    settings: 'settings.json',
    recallEvents: [{ event: 'SubagentStop' }, COMPACTED],
    hasStatusLine: true,
    otlpToken: 'command',
  },
  {
    name: 'codex',
    program: 'codex',
    settings: 'hooks.json',
    recallEvents: [COMPACTED],
    note: TRUST,
    otlpToken: 'plain text',
  },
  {
    name: 'gemini-cli',
    program: 'gemini',
    folder: '.gemini',
    settings: 'settings.json',
    hooks: GEMINI_HOOKS,
    otlpToken: 'plain text',
  },
  { name: 'opencode', program: 'opencode', folder: 'opencode', settings: null },
];

export const AGENT_NAMES = AGENTS.map(({ name }) => name);

/** An agent on this machine. */
export interface FoundAgent extends Agent {
  hooks: Pick<Entries, 'events' | 'timeout'>;
  label: string;
  /** Whether its folder or its program exists. */
  isFound: boolean;
  folder: string;
  /** The variable that sets the folder, as `NAME=value`. */
  variables: string[];
  file: string | null;
  /** For an agent without settings: whether the service of `barograph watch` is installed. */
  isConnected: boolean;
  /** Why the settings cannot be read; null if they can. */
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
    const label = client?.label ?? agent.name;
    const isFound = existsSync(folder) || programs.some(isExecutable);
    const found = {
      hooks: HOOKS,
      ...agent,
      label,
      isFound,
      folder,
      variables,
      file,
      isConnected: false,
      problem: null,
    };
    try {
      const isConnected =
        file === null
          ? isFound && findService('watch') !== null
          : countEntries(readSettingsFile(file) ?? '') > 0;
      return { ...found, isConnected };
    } catch (error) {
      if (!(error instanceof SettingsProblem)) throw error;
      return { ...found, problem: error.message };
    }
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
