/** The runner's settings: the only file of this process that reads the environment. */
import { readFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { CONNECTION_FILE, type ConnectionFile, connectionFile } from '../../core/settings/connection-file';
import { locateDataFolder } from '../../core/settings/locate-data-folder';
import {
  type Environment,
  readChoice,
  readPath,
  readText,
  refuseUnknown,
  SettingError,
} from '../../core/settings/read-settings';

export interface RunnerSettings {
  /** Address of the server, `http://…`; null: nothing names one. */
  url: string | null;
  /** Token of scope `ingest`. */
  token: string | null;
  /** Token of scope `read`, known only beside the server. */
  readToken: string | null;
  /** Where address and token come from, for people. */
  origin: { url: string; token: string };
  /** Null: each session joins the project named after its folder. */
  project: string | null;
  content: boolean;
  /** Absolute: what was not acknowledged yet, and how far each transcript was read. */
  queueFolder: string;
  dataFolder: string;
  /** Absolute: where Claude Code keeps its transcripts. */
  claudeProjects: string;
  host: string;
}

/** What the command line overrides. */
export interface RunnerFlags {
  url?: string | undefined;
  token?: string | undefined;
  project?: string | undefined;
  noContent?: boolean | undefined;
  queueFolder?: string | undefined;
}

export interface RunnerSurroundings {
  isRoot: boolean;
  home: string;
  host: string;
  /** Content of `connection.json` in the data folder; null where there is none. */
  readConnection(path: string): string | null;
}

/** @throws SettingError with a sentence for the operator. */
export function parseRunnerSettings(
  environment: Environment,
  flags: RunnerFlags,
  around: RunnerSurroundings,
): RunnerSettings {
  refuseUnknown(environment);
  const dataFolder = locateDataFolder({
    dataDir: readPath(environment, 'BAROGRAPH_DATA_DIR'),
    isRoot: around.isRoot,
    xdgDataHome: readText(environment, 'XDG_DATA_HOME'),
    home: around.home,
  });
  const file = join(dataFolder, CONNECTION_FILE);
  const connection = readConnection(around.readConnection(file), file);
  const url = pick([
    ['--url', flags.url],
    ['BAROGRAPH_URL', readText(environment, 'BAROGRAPH_URL')],
    [file, connection?.url],
  ]);
  const given = pick([
    ['--token', flags.token],
    ['BAROGRAPH_TOKEN', readText(environment, 'BAROGRAPH_TOKEN')],
  ]);
  // The file's tokens are for the server it names: another one must not get to see them.
  const isLocal = connection !== null && url.value !== null && sameServer(url.value, connection.url);
  const token = given.value !== null || !isLocal ? given : { value: connection.ingestToken, from: file };
  if (url.value !== null) checkUrl(url.from, url.value);
  const claudeFolder = readText(environment, 'CLAUDE_CONFIG_DIR') ?? join(around.home, '.claude');
  return {
    url: url.value,
    token: token.value,
    readToken: isLocal ? connection.readToken : null,
    origin: { url: url.from, token: token.from },
    project: flags.project ?? readText(environment, 'BAROGRAPH_PROJECT'),
    content: !flags.noContent && readChoice(environment, 'BAROGRAPH_CONTENT', 'on', ['on', 'off']) === 'on',
    queueFolder:
      flags.queueFolder ?? readPath(environment, 'BAROGRAPH_QUEUE_DIR') ?? join(dataFolder, 'queue'),
    dataFolder,
    claudeProjects: join(claudeFolder, 'projects'),
    host: around.host,
  };
}

/** @throws SettingError */
export function readRunnerSettings(flags: RunnerFlags): RunnerSettings {
  return parseRunnerSettings(process.env, flags, {
    isRoot: process.geteuid?.() === 0,
    home: homedir(),
    host: hostname(),
    readConnection: readIfThere,
  });
}

type Candidate = [from: string, value: string | null | undefined];

function pick(candidates: readonly Candidate[]): { value: string | null; from: string } {
  for (const [from, value] of candidates) if (value) return { value, from };
  return { value: null, from: '' };
}

function readConnection(text: string | null, path: string): ConnectionFile | null {
  if (text === null) return null;
  try {
    return connectionFile.parse(JSON.parse(text));
  } catch {
    throw new SettingError(path, 'the file is damaged. Start the server again: it writes a new one.');
  }
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES') {
      throw new SettingError(
        path,
        'this account may not read it. Set BAROGRAPH_URL and BAROGRAPH_TOKEN instead.',
      );
    }
    return null;
  }
}

function checkUrl(name: string, value: string): void {
  const protocol = URL.canParse(value) ? new URL(value).protocol : '';
  if (['http:', 'https:', 'ws:', 'wss:'].includes(protocol)) return;
  throw new SettingError(name, `"${value}" is no address of a server, as in http://127.0.0.1:4680.`);
}

function sameServer(a: string, b: string): boolean {
  if (!URL.canParse(a) || !URL.canParse(b)) return false;
  const place = (url: string) => new URL(url).host.replace(/^localhost(?=:|$)/, '127.0.0.1');
  return place(a) === place(b);
}
