/** The runner's settings. Only this file reads the environment. */
import { readFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import {
  CONNECTION_FILE,
  type ConnectionFile,
  connectionFile,
  LAST_CONNECTION_FILE,
} from '../../core/settings/connection-file';
import { locateConfigFolder, locateDataFolder } from '../../core/settings/locate-folders';
import {
  type Environment,
  findUnknown,
  readChoice,
  readPath,
  readText,
  refuseUnknown,
  SettingError,
} from '../../core/settings/read-settings';

export interface RunnerSettings {
  /** Address of the server, `http://…`; null if unknown. */
  url: string | null;
  /** Token of scope `ingest`. */
  token: string | null;
  /** Secret that the server must prove to know before it gets `token`; null: the token was given explicitly. */
  secret: string | null;
  /** Token of scope `read`; known only on the server's machine. */
  readToken: string | null;
  /** Where address and token were set, for messages. */
  origin: { url: string; token: string };
  /** Null: the project is named after each session's folder. */
  project: string | null;
  content: boolean;
  /** Where to upload transcripts: only to a server on this machine, to any server, nowhere. */
  uploadArchives: UploadChoice;
  /** The server of this machine's connection file, running or not; null without a file. */
  localServer: LocalServer | null;
  /** Absolute: unacknowledged items, and how far each transcript was read. */
  queueFolder: string;
  dataFolder: string;
  /** Absolute: Claude Code's transcripts. */
  claudeProjects: string;
  host: string;
}

/** The server of a connection file. */
interface LocalServer {
  url: string;
  token: string;
  secret: string;
}

const UPLOAD_CHOICES = ['local', 'on', 'off'] as const;
type UploadChoice = (typeof UPLOAD_CHOICES)[number];

/** Flags of the command line, which override the environment. */
export interface RunnerFlags {
  url?: string | undefined;
  token?: string | undefined;
  project?: string | undefined;
  noContent?: boolean | undefined;
  queueFolder?: string | undefined;
  uploadArchives?: string | undefined;
}

export interface RunnerSurroundings {
  isRoot: boolean;
  home: string;
  host: string;
  /** Content of a file in the data folder; null if it does not exist. */
  readConnection(path: string): string | null;
}

/** @throws SettingError */
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
  const { file, connection } = findConnection(dataFolder, around);
  const url = pick([
    ['--url', flags.url],
    ['BAROGRAPH_URL', readText(environment, 'BAROGRAPH_URL')],
    [file, connection?.url],
  ]);
  const given = pick([
    ['--token', flags.token],
    ['BAROGRAPH_TOKEN', readText(environment, 'BAROGRAPH_TOKEN')],
  ]);
  // The file's tokens are only for the server it names.
  const isLocal = connection !== null && url.value !== null && sameServer(url.value, connection.url);
  const isFromFile = given.value === null && isLocal;
  const token = isFromFile ? { value: connection.ingestToken, from: file } : given;
  if (url.value !== null) checkUrl(url.from, url.value);
  const claudeFolder = readText(environment, 'CLAUDE_CONFIG_DIR') ?? join(around.home, '.claude');
  return {
    url: url.value,
    token: token.value,
    secret: isFromFile ? connection.secret : null,
    readToken: isLocal ? connection.readToken : null,
    origin: { url: url.from, token: token.from },
    project: flags.project ?? readText(environment, 'BAROGRAPH_PROJECT'),
    content: !flags.noContent && readChoice(environment, 'BAROGRAPH_CONTENT', 'on', ['on', 'off']) === 'on',
    uploadArchives: readUploadChoice(environment, flags),
    localServer:
      connection === null
        ? null
        : { url: connection.url, token: connection.ingestToken, secret: connection.secret },
    queueFolder:
      flags.queueFolder ?? readPath(environment, 'BAROGRAPH_QUEUE_DIR') ?? join(dataFolder, 'queue'),
    dataFolder,
    claudeProjects: join(claudeFolder, 'projects'),
    host: around.host,
  };
}

function readUploadChoice(environment: Environment, { uploadArchives }: RunnerFlags): UploadChoice {
  const flag = '--upload-archives';
  const choice = readChoice({ [flag]: uploadArchives }, flag, 'local', UPLOAD_CHOICES);
  if (uploadArchives !== undefined) return choice;
  return readChoice(environment, 'BAROGRAPH_UPLOAD_ARCHIVES', 'local', UPLOAD_CHOICES);
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

/** Settings of a hook, which continues whatever is wrong with them. */
export interface HookSettings {
  /** Absolute folder of archives, in `runs/`. Null: not set, and the account has no home folder. */
  configFolder: string | null;
  /** Project folder as the agent's client sets it for hooks; null if it does not. */
  projectFolder: string | null;
  /** Null: invalid, so nothing is reported. */
  runner: RunnerSettings | null;
  /** Messages for the operator. */
  warnings: string[];
}

/** Never throws. */
export function parseHookSettings(
  environment: Environment,
  flags: RunnerFlags & { configFolder?: string | undefined },
  around: Omit<RunnerSurroundings, 'home'> & { home(): string },
): HookSettings {
  const unknown = findUnknown(environment);
  const warnings = unknown.map(({ message }) => `${message} It is ignored.`);
  const known = Object.fromEntries(
    Object.entries(environment).filter(([name]) => !unknown.some(({ setting }) => setting === name)),
  );
  const orWarn = <T>(read: () => T): T | null => {
    try {
      return read();
    } catch (error) {
      warnings.push(error instanceof Error ? error.message : String(error));
      return null;
    }
  };
  /** A hook needs no home folder if the data folder is set. */
  const homeUnlessNeedless = () => (readText(known, 'BAROGRAPH_DATA_DIR') === null ? around.home() : '/');
  const given = orWarn(() => readPath({ '--config-dir': flags.configFolder }, '--config-dir'));
  const configDir = given ?? orWarn(() => readPath(known, 'BAROGRAPH_CONFIG_DIR'));
  const configured = { ...known, BAROGRAPH_CONFIG_DIR: configDir ?? undefined };
  return {
    configFolder: orWarn(() => configFolderOf(configured, around.home)),
    projectFolder: readText(known, 'CLAUDE_PROJECT_DIR'),
    runner: orWarn(() => parseRunnerSettings(known, flags, { ...around, home: homeUnlessNeedless() })),
    warnings,
  };
}

/** Never throws. */
export function readHookSettings(flags: RunnerFlags & { configFolder?: string | undefined }): HookSettings {
  return parseHookSettings(process.env, flags, {
    isRoot: process.geteuid?.() === 0,
    home: homedir,
    host: hostname(),
    readConnection: readIfThere,
  });
}

/**
 * Absolute path of the config folder: BAROGRAPH_CONFIG_DIR, else `$XDG_CONFIG_HOME/barograph`, else
 * `~/.config/barograph`.
 * @param flag overrides them.
 * @throws SettingError for a relative BAROGRAPH_CONFIG_DIR; what the system throws without a home folder.
 */
export function readConfigFolder(flag?: string): string {
  const given = readPath({ '--config-dir': flag }, '--config-dir');
  const named = given === null ? {} : { BAROGRAPH_CONFIG_DIR: given };
  return configFolderOf({ ...process.env, ...named }, homedir);
}

function configFolderOf(environment: Environment, home: () => string): string {
  const configDir = readPath(environment, 'BAROGRAPH_CONFIG_DIR');
  const xdgConfigHome = readText(environment, 'XDG_CONFIG_HOME');
  // Accounts without a home folder need none if another folder is set.
  const isElsewhere = configDir !== null || xdgConfigHome?.startsWith('/') === true;
  return locateConfigFolder({ configDir, xdgConfigHome, home: isElsewhere ? '' : home() });
}

/** Settings of uploads; invalid settings count as `off`. */
export interface UploadSettings {
  uploadArchives: UploadChoice;
  localServer: RunnerSettings['localServer'];
  host: string;
}

/** Never throws. */
export function readUploadSettings(): UploadSettings {
  const { runner } = readHookSettings({});
  return {
    uploadArchives: runner?.uploadArchives ?? 'off',
    localServer: runner?.localServer ?? null,
    host: runner?.host ?? hostname(),
  };
}

/** Also finds a stopped server: items for it are queued until it is back. */
function findConnection(
  dataFolder: string,
  around: RunnerSurroundings,
): { file: string; connection: ConnectionFile | null } {
  for (const name of [CONNECTION_FILE, LAST_CONNECTION_FILE]) {
    const file = join(dataFolder, name);
    const connection = readConnection(around.readConnection(file), file);
    if (connection !== null) return { file, connection };
  }
  return { file: join(dataFolder, CONNECTION_FILE), connection: null };
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
    throw new SettingError(
      path,
      'the file is damaged, or of an older server. Restart the server to write a new one.',
    );
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
  throw new SettingError(name, `"${value}" is not an address of a server, as in http://127.0.0.1:4680.`);
}

/** Whether two addresses have the same host and port. */
export function sameServer(a: string, b: string): boolean {
  if (!URL.canParse(a) || !URL.canParse(b)) return false;
  const place = (url: string) => new URL(url).host.replace(/^localhost(?=:|$)/, '127.0.0.1');
  return place(a) === place(b);
}
