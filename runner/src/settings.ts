/** The runner's settings. Only this file reads the environment. */
import { readFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { CLIENTS } from '../../core/agents/clients';
import {
  CONNECTION_FILE,
  type ConnectionFile,
  LAST_CONNECTION_FILE,
  parseConnectionFile,
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
import { SETTINGS } from '../../core/settings/setting-list';

export interface RunnerSettings {
  /** Address of the server, `http://…`; null if unknown. */
  url: string | null;
  /** Token of scope `ingest`. */
  token: string | null;
  /** The server must prove that it knows this secret before it gets `token`. Null: the token was given explicitly. */
  secret: string | null;
  /** Token of scope `read` for a server on this machine. */
  readToken: string | null;
  /** Where address and token were set, for messages. */
  origin: { url: string; token: string };
  /** Null: the project is named after each session's folder. */
  project: string | null;
  content: boolean;
  /** Where to upload transcripts. `local`: to a server on this machine; `on`: to any server; `off`: nowhere. */
  uploadArchives: UploadChoice;
  /** The server of this machine's connection file, running or not; null if there is no file. */
  localServer: { url: string; token: string; secret: string } | null;
  /** Absolute folder of unacknowledged items, and of the position in each transcript. */
  queueFolder: string;
  dataFolder: string;
  /** Default folders of transcripts, absolute. The environment variable `variable` changes a folder. */
  transcripts: { client: string; variable: string; folder: string; isMain: boolean }[];
  host: string;
}

const UPLOAD_CHOICES = ['local', 'on', 'off'] as const;
type UploadChoice = (typeof UPLOAD_CHOICES)[number];

/** Values of command line options by name, as in `queue-dir`; they override the environment. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>;

interface Machine {
  environment: Environment;
  isRoot: boolean;
  /** Throws for an account without a home folder. */
  home(): string;
  host: string;
  /** Content of a connection file or a token file; null if the file does not exist. */
  readConnection(path: string): string | null;
}

function thisMachine(): Machine {
  return {
    environment: process.env,
    isRoot: process.geteuid?.() === 0,
    home: homedir,
    host: hostname(),
    readConnection: readIfThere,
  };
}

/** @throws SettingError */
export function readRunnerSettings(flags: Flags, machine: Machine = thisMachine()): RunnerSettings {
  const { environment, isRoot, home, host } = machine;
  refuseUnknown(environment);
  const dataFolder = locateDataFolder({
    set: readPath(environment, 'BAROGRAPH_DATA_DIR'),
    isRoot,
    xdg: readText(environment, 'XDG_DATA_HOME'),
    home: home(),
  });
  const { file, connection } = findConnection(dataFolder, machine);
  const address = given(flags, environment, 'url');
  const url = address.value ?? connection?.url ?? null;
  const urlFrom = address.value === null ? file : address.from;
  if (url !== null) checkUrl(urlFrom, url);
  const token = givenToken(flags, machine);
  // Use the file's token only for the server that the file names.
  const isFromFile =
    token.value === null && connection !== null && url !== null && sameServer(url, connection.url);
  const upload = given(flags, environment, 'upload-archives');
  const content = readChoice(environment, 'BAROGRAPH_CONTENT', 'on', ['on', 'off']);
  const queueFolder = textOption(flags, 'queue-dir') ?? readPath(environment, 'BAROGRAPH_QUEUE_DIR');
  return {
    url,
    token: isFromFile ? connection.ingestToken : token.value,
    secret: isFromFile ? connection.secret : null,
    readToken: isFromFile ? connection.readToken : null,
    origin: { url: urlFrom, token: isFromFile ? file : token.from },
    project: given(flags, environment, 'project').value,
    content: flags['no-content'] !== true && content === 'on',
    uploadArchives: readChoice({ [upload.from]: upload.value ?? '' }, upload.from, 'local', UPLOAD_CHOICES),
    localServer: connection && {
      url: connection.url,
      token: connection.ingestToken,
      secret: connection.secret,
    },
    queueFolder: queueFolder ?? join(dataFolder, 'queue'),
    dataFolder,
    transcripts: CLIENTS.flatMap(({ label: client, transcripts: place }) => {
      if (place === undefined) return [];
      const { variable, folders } = place;
      const base = readText(environment, variable) ?? join(home(), place.home);
      return folders.map((folder, i) => ({ client, variable, folder: join(base, folder), isMain: i === 0 }));
    }),
    host,
  };
}

export interface HookSettings {
  /** Absolute folder that contains the archives in `runs/`. Null: not set, and the account has no home folder. */
  configFolder: string | null;
  /** Project folder as the agent's client sets it for hooks; null if the client sets none. */
  projectFolder: string | null;
  /** Null: the settings are invalid, so nothing is reported. */
  runner: RunnerSettings | null;
  /** Sentences for the log. */
  warnings: string[];
}

/** Read the settings of a hook. Never throws: an invalid setting becomes a warning. */
export function readHookSettings(flags: Flags, machine: Machine = thisMachine()): HookSettings {
  const unknown = findUnknown(machine.environment);
  const warnings = unknown.map(({ message }) => `${message} It is ignored.`);
  const environment = { ...machine.environment };
  for (const { setting } of unknown) delete environment[setting];
  const orWarn = <T>(read: () => T): T | null => {
    try {
      return read();
    } catch (error) {
      warnings.push(error instanceof Error ? error.message : String(error));
      return null;
    }
  };
  const configDir =
    orWarn(() => readPath({ '--config-dir': textOption(flags, 'config-dir') ?? '' }, '--config-dir')) ??
    orWarn(() => readPath(environment, 'BAROGRAPH_CONFIG_DIR'));
  // A hook needs no home folder if the data folder is set.
  const home = () => (readText(environment, 'BAROGRAPH_DATA_DIR') === null ? machine.home() : '/');
  return {
    configFolder: orWarn(() => configFolderOf(configDir, { ...machine, environment })),
    projectFolder:
      CLIENTS.map(({ projectVariable: name }) => name && readText(environment, name)).find(Boolean) ?? null,
    runner: orWarn(() => readRunnerSettings(flags, { ...machine, environment, home })),
    warnings,
  };
}

const OPTIONS_OF_COMMANDS = ['url', 'project', 'queue-dir', 'config-dir', 'upload-archives'];

/**
 * The options and the variables of this shell, as `NAME=value`, for commands that agents and services run. They never
 * contain a token, because a token is a secret.
 * @param tokenFile file that stores the token of `flags`; null: `flags` contains no token.
 * @returns `withoutToken`: whether the result lacks a token that this shell has.
 */
export function ownVariables(flags: Flags, tokenFile: string | null, machine: Machine = thisMachine()) {
  const { dataFolder } = readRunnerSettings(flags, machine);
  const { BAROGRAPH_TOKEN: token, ...environment } = machine.environment;
  const set: Record<string, string | undefined> = { ...environment, BAROGRAPH_DATA_DIR: dataFolder };
  // `disconnect` reads this folder from the hooks, and finds the original texts there.
  set.BAROGRAPH_CONFIG_DIR ??= configFolderOf(null, machine);
  if (tokenFile !== null) set.BAROGRAPH_TOKEN_FILE = tokenFile;
  if (flags['no-content'] === true) set.BAROGRAPH_CONTENT = 'off';
  for (const option of OPTIONS_OF_COMMANDS) {
    const value = textOption(flags, option);
    if (value !== null) set[variableOf(option)] = option.endsWith('-dir') ? resolve(value) : value;
  }
  const names = Object.keys(set).filter((name) => name.startsWith('BAROGRAPH_') && set[name]?.trim());
  const variables = names.map((name) => `${name}=${set[name]}`);
  return { variables, withoutToken: Boolean(token?.trim()) && !set.BAROGRAPH_TOKEN_FILE?.trim() };
}

/** The environment of a command that this process starts. */
export const commandEnvironment = (
  more: Record<string, string>,
  { environment } = thisMachine(),
): Record<string, string | undefined> => ({ ...environment, ...more });

/** The variables of this shell that the server reads, as `NAME=value`. */
export function serverVariables({ environment }: Machine = thisMachine()): string[] {
  const names = SETTINGS.filter(({ readBy }) => readBy !== 'runner').map(({ name }) => name);
  return [...names, 'XDG_DATA_HOME'].flatMap((name) => {
    const value = readText(environment, name);
    return value === null ? [] : [`${name}=${value}`];
  });
}

export const variablesOfShell = ({ environment }: Machine = thisMachine()) => Object.keys(environment);

/** Whether a browser can open a window for this shell. */
export function hasDisplay({ environment }: Machine = thisMachine()): boolean {
  const isSet = (name: string) => readText(environment, name) !== null;
  if (isSet('SSH_CONNECTION')) return false;
  return process.platform !== 'linux' || isSet('DISPLAY') || isSet('WAYLAND_DISPLAY');
}

/** Where a program keeps its settings: the folder in `variable`, else `home` in the home folder. */
export interface ProgramPlace {
  /** Name of the executable. */
  program: string;
  variable: string | null;
  home: string;
}

/** The program's folder, the variable with this folder, and the paths at which its executable may be. */
export function locateProgram({ program, variable, home }: ProgramPlace, machine: Machine = thisMachine()) {
  const { environment } = machine;
  const set = variable === null ? null : readText(environment, variable);
  const folders = (readText(environment, 'PATH') ?? '').split(delimiter).filter(isAbsolute);
  return {
    folder: resolve(set ?? join(machine.home(), home)),
    variables: set === null ? [] : [`${variable}=${resolve(set)}`],
    programs: folders.map((folder) => join(folder, program)),
  };
}

/**
 * Absolute path of the config folder: BAROGRAPH_CONFIG_DIR, else `$XDG_CONFIG_HOME/barograph`, else
 * `~/.config/barograph`.
 * @param flag overrides them.
 * @throws SettingError for a relative BAROGRAPH_CONFIG_DIR; what the system throws without a home folder.
 */
export function readConfigFolder(flag?: string): string {
  const machine = thisMachine();
  const given = readPath({ '--config-dir': flag }, '--config-dir');
  return configFolderOf(given ?? readPath(machine.environment, 'BAROGRAPH_CONFIG_DIR'), machine);
}

function configFolderOf(configDir: string | null, { environment, home }: Machine): string {
  const xdg = readText(environment, 'XDG_CONFIG_HOME');
  // An account needs no home folder if another folder is set.
  const isElsewhere = configDir !== null || xdg?.startsWith('/') === true;
  return locateConfigFolder({ set: configDir, xdg, home: isElsewhere ? '' : home() });
}

/** Settings of uploads; invalid settings count as `off`. Never throws. */
export function readUploadSettings(): Pick<RunnerSettings, 'uploadArchives' | 'localServer' | 'host'> {
  const off = { uploadArchives: 'off', localServer: null, host: hostname() } as const;
  return readHookSettings({}).runner ?? off;
}

/**
 * The value of an option, or of the variable with the same name, as `--queue-dir` and `BAROGRAPH_QUEUE_DIR`. Blank
 * values count as not set.
 */
function given(
  flags: Flags,
  environment: Environment,
  option: string,
): { from: string; value: string | null } {
  const flag = textOption(flags, option);
  if (flag !== null) return { from: `--${option}`, value: flag };
  const from = variableOf(option);
  return { from, value: readText(environment, from) };
}

/** @throws SettingError for a token file that does not exist or contains no token. */
function givenToken(flags: Flags, { environment, readConnection }: Machine) {
  const file = readPath(environment, 'BAROGRAPH_TOKEN_FILE');
  if (file === null || textOption(flags, 'token') !== null) return given(flags, environment, 'token');
  const value = readConnection(file)?.trim() ?? '';
  if (value === '') throw new SettingError('BAROGRAPH_TOKEN_FILE', `"${file}" contains no token.`);
  return { from: file, value };
}

const variableOf = (option: string) => `BAROGRAPH_${option.replaceAll('-', '_').toUpperCase()}`;

function textOption(flags: Flags, option: string): string | null {
  const value = flags[option];
  return typeof value === 'string' ? readText({ value }, 'value') : null;
}

/** Also finds a stopped server: items wait in the queue until the server is back. */
function findConnection(
  dataFolder: string,
  { readConnection }: Machine,
): { file: string; connection: ConnectionFile | null } {
  for (const name of [CONNECTION_FILE, LAST_CONNECTION_FILE]) {
    const file = join(dataFolder, name);
    const text = readConnection(file);
    if (text === null) continue;
    try {
      return { file, connection: parseConnectionFile(JSON.parse(text)) };
    } catch {
      const reason = 'the file is damaged or from an older server. Restart the server to write a new one.';
      throw new SettingError(file, reason);
    }
  }
  return { file: join(dataFolder, CONNECTION_FILE), connection: null };
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') return null;
    const reason = 'this account may not read it. Set BAROGRAPH_URL and BAROGRAPH_TOKEN instead.';
    throw new SettingError(path, reason);
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
