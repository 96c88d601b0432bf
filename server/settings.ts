/** The server's settings. No other file of the server reads the environment. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { locateDataFolder } from '../core/settings/locate-folders';
import {
  type Environment,
  readChoice,
  readInteger,
  readPath,
  readText,
  refuseUnknown,
  SettingError,
} from '../core/settings/read-settings';
import { SETTINGS } from '../core/settings/setting-list';
import { isLoopback } from './http/gate';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const ROLES = ['all', 'ingest', 'web'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];
export type ServerRole = (typeof ROLES)[number];

export interface ServerSettings {
  /** 0: any free port. */
  port: number;
  /** A loopback address, without brackets. */
  host: string;
  dataFolder: string;
  /** False when BAROGRAPH_DATA_DIR is set: a command on this machine then needs the variable too. */
  isDefaultDataFolder: boolean;
  /** Null: the embedded database. Holds a password: keep it out of logs. */
  databaseUrl: string | null;
  databaseConnections: number;
  logLevel: LogLevel;
  idleAfterMinutes: number;
  role: ServerRole;
}

/**
 * Read `.env` in `folder`, then the environment, which takes precedence.
 * @throws SettingError for the operator.
 */
export function readSettings(folder: string): ServerSettings {
  const environment = { ...readEnvironmentFile(folder), ...process.env };
  refuseUnknown(environment);
  const dataDir = readPath(environment, 'BAROGRAPH_DATA_DIR');
  const host = (readText(environment, 'BAROGRAPH_HOST') ?? '127.0.0.1').replace(/^\[(.*)\]$/, '$1');
  if (!isLoopback(host)) {
    throw new SettingError(
      'BAROGRAPH_HOST',
      `"${host}" is refused: until Barograph has accounts, whoever reaches the port sees everything, so it ` +
        'binds a loopback address only (127.0.0.1, ::1 or localhost). Reach it from elsewhere through ' +
        '`ssh -L 4680:127.0.0.1:4680 <this machine>`.',
    );
  }
  return {
    port: readInteger(environment, 'BAROGRAPH_PORT', 4680, { least: 0, most: 65_535 }),
    host,
    dataFolder: locateDataFolder({
      isRoot: process.geteuid?.() === 0,
      xdg: readText(environment, 'XDG_DATA_HOME'),
      home: homedir(),
      set: dataDir,
    }),
    isDefaultDataFolder: dataDir === null,
    databaseUrl: readDatabaseUrl(environment),
    databaseConnections: readInteger(environment, 'BAROGRAPH_DATABASE_CONNECTIONS', 16, {
      least: 4,
      most: 1_000,
    }),
    logLevel: readChoice(environment, 'BAROGRAPH_LOG_LEVEL', 'info', LOG_LEVELS),
    idleAfterMinutes: readInteger(environment, 'BAROGRAPH_IDLE_AFTER_MINUTES', 10, {
      least: 1,
      most: 10_080,
    }),
    role: readChoice(environment, 'BAROGRAPH_ROLE', 'all', ROLES),
  };
}

function readDatabaseUrl(environment: Environment): string | null {
  const text = readText(environment, 'DATABASE_URL');
  if (text === null) return null;
  // The error omits the value, which contains a password.
  if (!URL.canParse(text)) throw new SettingError('DATABASE_URL', 'the value is not a URL.');
  if (!['postgres:', 'postgresql:'].includes(new URL(text).protocol)) {
    throw new SettingError('DATABASE_URL', 'the URL does not begin with postgres:// or postgresql://.');
  }
  return text;
}

/** Settings in the `.env` of `folder` that have no effect, because only runners read them. */
export function findUnreadSettings(folder: string): string[] {
  const fromFile = readEnvironmentFile(folder);
  return SETTINGS.filter(({ name, readBy }) => readBy === 'runner' && readText(fromFile, name) !== null).map(
    ({ name }) => name,
  );
}

/**
 * Parse `.env`, if it exists: `NAME=value`, an optional `export `, optional quotes, `#` for comments. Escapes
 * and variables within values are not supported.
 */
function readEnvironmentFile(folder: string): Environment {
  const path = join(folder, '.env');
  const values: Record<string, string> = {};
  for (const line of existsSync(path) ? readFileSync(path, 'utf8').split(/\r?\n/) : []) {
    const match = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/.exec(line);
    if (!match) continue;
    const [, name = '', rest = ''] = match;
    const quoted = /^(["'])(.*?)\1\s*(?:#.*)?$/.exec(rest);
    values[name] = quoted ? (quoted[2] ?? '') : rest.replace(/(^|\s)#.*$/, '').trim();
  }
  return values;
}

/**
 * Set NODE_ENV before React and Next are loaded, because it selects their build. Turn off Next's telemetry. Pass the
 * settings of the build to Next, because the server's package contains no next.config.mjs.
 */
export function announceMode(isDevelopment: boolean, folder: string): void {
  Object.assign(process.env, {
    NODE_ENV: isDevelopment ? 'development' : 'production',
    NEXT_TELEMETRY_DISABLED: '1',
  });
  const built = join(folder, '.next', 'required-server-files.json');
  if (isDevelopment || !existsSync(built)) return;
  const { config } = JSON.parse(readFileSync(built, 'utf8')) as { config: object };
  Object.assign(process.env, { __NEXT_PRIVATE_STANDALONE_CONFIG: JSON.stringify(config) });
}
