/** The server's settings. No other file of the server reads the environment. */
import { existsSync, readFileSync } from 'node:fs';
import type { BlockList } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { HEX_64 } from '../core/settings/connection-file';
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
import type { ArchiveStoreSettings } from '../db/transcripts/object-store';
import { LIMIT_NAMES, type Limits } from './http/budgets';
import { isLoopback } from './http/gate';
import { type Edge, readProxies } from './http/peer';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const ROLES = ['all', 'ingest', 'web'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];
export type ServerRole = (typeof ROLES)[number];

export interface ServerSettings {
  /** 0: any free port. */
  port: number;
  /** Without brackets. A loopback address, unless trusted proxies are named. */
  host: string;
  dataFolder: string;
  /** False when BAROGRAPH_DATA_DIR is set: a command on this machine then needs the variable too. */
  isDefaultDataFolder: boolean;
  /** Null: the embedded database. Holds a password: keep it out of logs. */
  databaseUrl: string | null;
  /** Of the role that owns the tables, if that of `databaseUrl` does not. Holds a password. */
  databaseOwnerUrl: string | null;
  databaseConnections: number;
  statementSeconds: number;
  limits: Limits;
  /** PostgreSQL behind the pooler of `databaseUrl`; null: that is no pooler. Holds a password too. */
  databaseDirectUrl: string | null;
  /** A replica, for reads of history. */
  databaseReadUrl: string | null;
  archiveStore: ArchiveStoreSettings;
  /** Empty: hints between servers use PostgreSQL alone. Holds a password: keep it out of logs. */
  natsServers: readonly URL[];
  logLevel: LogLevel;
  idleAfterMinutes: number;
  role: ServerRole;
  /** Whether operators may send commands to runners. */
  sendsCommands: boolean;
  /** Alerts may be sent to loopback and private addresses. */
  alertsMayGoPrivate: boolean;
  /** Key for the secrets of alert channels, in hex; null: the key in the data folder. */
  secretsKey: string | null;
  /** People log in. Without accounts, every browser on this machine is the operator's. */
  accounts: boolean;
  edge: Edge & { hasProxies: boolean };
  singleSignOn: SingleSignOn | null;
}

/** A provider of OpenID Connect. Holds a secret: keep it out of logs. */
export interface SingleSignOn {
  issuer: string;
  clientId: string;
  clientSecret: string;
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
  const accounts = readChoice(environment, 'BAROGRAPH_AUTH', 'off', ['on', 'off']) === 'on';
  const edge = readEdge(environment, accounts);
  if (!isLoopback(host) && !(accounts && edge.hasProxies)) {
    throw new SettingError(
      'BAROGRAPH_HOST',
      `"${host}" is refused: everyone who can reach the port would see all data, so the server binds a loopback ` +
        'address (127.0.0.1, ::1 or localhost). For other machines set BAROGRAPH_AUTH=on, and either ' +
        'BAROGRAPH_TLS_LISTEN with a certificate, or BAROGRAPH_TRUSTED_PROXIES; docs/teams.md has the steps.',
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
    databaseDirectUrl: readDatabaseUrl(environment, 'DATABASE_DIRECT_URL'),
    natsServers: readNatsServers(environment),
    databaseUrl: readDatabaseUrl(environment, 'DATABASE_URL'),
    databaseOwnerUrl: readDatabaseUrl(environment, 'DATABASE_OWNER_URL'),
    databaseReadUrl: readDatabaseUrl(environment, 'DATABASE_READ_URL'),
    archiveStore: {
      address: readArchiveStore(environment),
      endpoint: readHttpUrl(environment, 'BAROGRAPH_S3_ENDPOINT'),
      region: readText(environment, 'BAROGRAPH_S3_REGION'),
      pathStyle: readChoice(environment, 'BAROGRAPH_S3_PATH_STYLE', 'off', ['on', 'off']) === 'on',
    },
    databaseConnections: readInteger(environment, 'BAROGRAPH_DATABASE_CONNECTIONS', 16, {
      least: 4,
      most: 1_000,
    }),
    statementSeconds: readLimit(environment, 'BAROGRAPH_STATEMENT_SECONDS'),
    limits: Object.fromEntries(
      LIMIT_NAMES.map((name) => [name, readLimit(environment, `BAROGRAPH_LIMIT_${name}`)]),
    ) as Limits,
    logLevel: readChoice(environment, 'BAROGRAPH_LOG_LEVEL', 'info', LOG_LEVELS),
    idleAfterMinutes: readInteger(environment, 'BAROGRAPH_IDLE_AFTER_MINUTES', 10, {
      least: 1,
      most: 10_080,
    }),
    role: readChoice(environment, 'BAROGRAPH_ROLE', 'all', ROLES),
    sendsCommands: readChoice(environment, 'BAROGRAPH_COMMANDS', 'off', ['on', 'off']) === 'on',
    alertsMayGoPrivate:
      readChoice(environment, 'BAROGRAPH_ALERT_PRIVATE_TARGETS', 'off', ['on', 'off']) === 'on',
    secretsKey: readSecretsKey(environment),
    accounts,
    edge,
    singleSignOn: readSingleSignOn(environment),
  };
}

function readLimit(environment: Environment, name: string): number {
  const standard = Number(SETTINGS.find((setting) => setting.name === name)?.default);
  return readInteger(environment, name, standard, { least: 1, most: Number.MAX_SAFE_INTEGER });
}

function readSecretsKey(environment: Environment): string | null {
  const key = readText(environment, 'BAROGRAPH_SECRETS_KEY');
  // The error omits the value.
  if (key !== null && !HEX_64.test(key))
    throw new SettingError('BAROGRAPH_SECRETS_KEY', 'the value is not 64 hexadecimal digits.');
  return key;
}

/** @throws SettingError for a combination that would leave the server open, or that has no effect */
function readEdge(environment: Environment, accounts: boolean): ServerSettings['edge'] {
  const publicUrl = readOrigin(environment, 'BAROGRAPH_PUBLIC_URL');
  const proxies = (readText(environment, 'BAROGRAPH_TRUSTED_PROXIES') ?? '').split(/[\s,]+/).filter(Boolean);
  const listen = readText(environment, 'BAROGRAPH_TLS_LISTEN');
  const certFile = readPath(environment, 'BAROGRAPH_TLS_CERT');
  const keyFile = readPath(environment, 'BAROGRAPH_TLS_KEY');
  const isOpen = listen !== null || proxies.length > 0;
  if (isOpen && !accounts) {
    const name = listen === null ? 'BAROGRAPH_TRUSTED_PROXIES' : 'BAROGRAPH_TLS_LISTEN';
    throw new SettingError(name, 'other machines need accounts: set BAROGRAPH_AUTH=on.');
  }
  if (isOpen && publicUrl?.protocol !== 'https:') {
    throw new SettingError('BAROGRAPH_PUBLIC_URL', 'set the https:// address that people open.');
  }
  return {
    publicUrl,
    proxies: readList('BAROGRAPH_TRUSTED_PROXIES', proxies),
    hasProxies: proxies.length > 0,
    tls: listen === null ? null : { ...readAddress(listen), ...requireFiles(certFile, keyFile) },
  };
}

function readOrigin(environment: Environment, name: string): URL | null {
  const text = readText(environment, name);
  if (text === null) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin = url !== null && `${url.origin}/` === url.href;
  if (!isOrigin || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)))) {
    const reason = 'must be an https:// address without a path, as in https://barograph.example.org.';
    throw new SettingError(name, `"${text}" ${reason}`);
  }
  return url;
}

function readList(name: string, list: readonly string[]): BlockList {
  try {
    return readProxies(list);
  } catch {
    throw new SettingError(name, 'must be IP addresses or networks, as in 10.0.0.2 or 10.0.0.0/24.');
  }
}

function readAddress(text: string): { host: string; port: number } {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (host === '' || Number(port) > 65_535) {
    throw new SettingError('BAROGRAPH_TLS_LISTEN', `"${text}" is not address:port, as in 0.0.0.0:443.`);
  }
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

function requireFiles(certFile: string | null, keyFile: string | null) {
  if (certFile === null || !existsSync(certFile)) {
    throw new SettingError('BAROGRAPH_TLS_CERT', 'name the file of the certificate, in PEM format.');
  }
  if (keyFile === null || !existsSync(keyFile)) {
    throw new SettingError('BAROGRAPH_TLS_KEY', "name the file of the certificate's key, in PEM format.");
  }
  return { certFile, keyFile };
}

function readSingleSignOn(environment: Environment): SingleSignOn | null {
  const issuer = readText(environment, 'BAROGRAPH_OIDC_ISSUER')?.replace(/\/$/, '') ?? null;
  const clientId = readText(environment, 'BAROGRAPH_OIDC_CLIENT_ID');
  const clientSecret = readText(environment, 'BAROGRAPH_OIDC_CLIENT_SECRET');
  if (issuer === null) return null;
  if (!URL.canParse(issuer)) throw new SettingError('BAROGRAPH_OIDC_ISSUER', `"${issuer}" is not a URL.`);
  if (clientId === null || clientSecret === null) {
    const name = clientId === null ? 'BAROGRAPH_OIDC_CLIENT_ID' : 'BAROGRAPH_OIDC_CLIENT_SECRET';
    throw new SettingError(name, 'single sign-on needs the client that the provider knows.');
  }
  return { issuer, clientId, clientSecret };
}

function readDatabaseUrl(environment: Environment, name: string): string | null {
  const text = readText(environment, name);
  if (text === null) return null;
  if (readText(environment, 'DATABASE_URL') === null)
    throw new SettingError(name, 'needs DATABASE_URL, too.');
  // The error omits the value, which contains a password.
  if (!URL.canParse(text)) throw new SettingError(name, 'the value is not a URL.');
  if (!['postgres:', 'postgresql:'].includes(new URL(text).protocol)) {
    throw new SettingError(name, 'the URL does not begin with postgres:// or postgresql://.');
  }
  return text;
}

function readArchiveStore(environment: Environment): string | null {
  const text = readText(environment, 'BAROGRAPH_ARCHIVE_STORE')?.replace(/\/+$/, '') ?? null;
  // Only characters that need no escapes in a URL.
  if (text === null || /^(s3:\/\/[a-z0-9][a-z0-9.-]+|file:\/\/\/[\w.-]+)(\/[\w.-]+)*$/.test(text))
    return text;
  throw new SettingError('BAROGRAPH_ARCHIVE_STORE', `"${text}" is not file:///folder or s3://bucket/prefix.`);
}

function readHttpUrl(environment: Environment, name: string): string | null {
  const text = readText(environment, name);
  if (text === null || (URL.canParse(text) && /^https?:/.test(text))) return text;
  throw new SettingError(name, 'the value is not an http:// or https:// URL.');
}

function readNatsServers(environment: Environment): URL[] {
  const list = (readText(environment, 'NATS_URL') ?? '').split(/[\s,]+/).filter(Boolean);
  const urls = list.filter((text) => URL.canParse(text)).map((text) => new URL(text));
  // The error omits the value, which may contain a password.
  if (urls.length < list.length || urls.some(({ protocol }) => !['nats:', 'tls:'].includes(protocol)))
    throw new SettingError('NATS_URL', 'the value is not a list of URLs that begin with nats:// or tls://.');
  return urls;
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
