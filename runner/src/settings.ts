/** The runner's settings: the only file of this process that reads the environment. */
import { readFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import {
  CONNECTION_FILE,
  type ConnectionFile,
  connectionFile,
  LAST_CONNECTION_FILE,
} from '../../core/settings/connection-file';
import { locateConfigFolder } from '../../core/settings/locate-config-folder';
import { locateDataFolder } from '../../core/settings/locate-data-folder';
import {
  type Environment,
  findUnknown,
  readChoice,
  readInteger,
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
  /** What the server at `url` has to prove that it knows before it is sent `token`; null: the token was given. */
  secret: string | null;
  /** Token of scope `read`, known only beside the server. */
  readToken: string | null;
  /** Where address and token come from, for people. */
  origin: { url: string; token: string };
  /** Null: each session joins the project named after its folder. */
  project: string | null;
  content: boolean;
  /** Who may get archived transcripts: a server on this machine alone, whichever is reported to, none. */
  uploadArchives: UploadChoice;
  /** For how long after its hook a hook's own process tries a server that does not answer again, milliseconds. */
  hookPatienceMs: number;
  /** The server that this machine's `connection.json` names, or named before it stopped; null where there is none. */
  localServer: LocalServer | null;
  /** Absolute: what was not acknowledged yet, and how far each transcript was read. */
  queueFolder: string;
  dataFolder: string;
  /** Absolute: where Claude Code keeps its transcripts. */
  claudeProjects: string;
  host: string;
}

/** A server of this machine, once it proved that it knows the secret. */
export interface LocalServer {
  url: string;
  token: string;
  secret: string;
}

export const UPLOAD_CHOICES = ['local', 'on', 'off'] as const;
export type UploadChoice = (typeof UPLOAD_CHOICES)[number];

/** A hook's process ends after fifteen minutes, whatever it does. */
const HOOK_PATIENCE_SECONDS = { least: 0, most: 840 };

/** What the command line overrides. */
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
  // The file's tokens are for the server it names: another one must not get to see them.
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
    hookPatienceMs:
      1_000 * readInteger(environment, 'BAROGRAPH_HOOK_PATIENCE_SECONDS', 720, HOOK_PATIENCE_SECONDS),
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

/** What a hook can read of the settings: it goes on, whatever is wrong with them. */
export interface HookSettings {
  /** Absolute: archives lie below its `runs/`. Null: the account has no home folder and nothing names one. */
  configFolder: string | null;
  /** The folder of the project, as the agent's client tells its hooks; null where it does not. */
  projectFolder: string | null;
  /** Null: they cannot be used, so nothing can be reported. */
  runner: RunnerSettings | null;
  /** Sentences for the operator. */
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
  /** With the data folder named, nothing that a hook needs lies in the home. */
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
 * Absolute path of the folder archives lie below: BAROGRAPH_CONFIG_DIR, else `$XDG_CONFIG_HOME/barograph`, else
 * `~/.config/barograph`.
 * @param flag a folder that the command line names instead.
 * @throws SettingError for a BAROGRAPH_CONFIG_DIR that is not absolute; what the system throws where the
 *   account has no home folder.
 */
export function readConfigFolder(flag?: string): string {
  const given = readPath({ '--config-dir': flag }, '--config-dir');
  const named = given === null ? {} : { BAROGRAPH_CONFIG_DIR: given };
  return configFolderOf({ ...process.env, ...named }, homedir);
}

function configFolderOf(environment: Environment, home: () => string): string {
  const configDir = readPath(environment, 'BAROGRAPH_CONFIG_DIR');
  const xdgConfigHome = readText(environment, 'XDG_CONFIG_HOME');
  // An account without a home folder is asked for it only where it decides.
  const isElsewhere = configDir !== null || xdgConfigHome?.startsWith('/') === true;
  return locateConfigFolder({ configDir, xdgConfigHome, home: isElsewhere ? '' : home() });
}

/** Who may get archives, as far as this machine says; what is wrong with the settings counts as the careful answer. */
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

/** A server that stopped is known all the same: what is for it is queued, and goes once it proves to be back. */
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
      'the file is damaged, or of an older server. Start the server again: it writes a new one.',
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
  throw new SettingError(name, `"${value}" is no address of a server, as in http://127.0.0.1:4680.`);
}

/** Whether two addresses are the same host and port. */
export function sameServer(a: string, b: string): boolean {
  if (!URL.canParse(a) || !URL.canParse(b)) return false;
  const place = (url: string) => new URL(url).host.replace(/^localhost(?=:|$)/, '127.0.0.1');
  return place(a) === place(b);
}
