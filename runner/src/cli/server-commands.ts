/** The commands `down`, `status`, `logs`, `token`, `backup`, `restore` and `distribute`, which manage the server on this machine. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { findService, planRemoval } from '../connect/services';
import { messageOf } from '../guard';
import { findQueueProblems } from '../queue/open-queue';
import { findServerProgram } from '../server/server-package';
import {
  endOfLines,
  findRunningServer,
  logFileOf,
  logSizeOf,
  type RunningServer,
  readHealth,
  readLog,
  stopServer,
} from '../server/server-process';
import { findWatch, stopWatch } from '../server/watch-process';
import { type Command, type CommandContext, numberValue, UsageError, type Values } from './command';
import { readOrExplain } from './connection';

const DEFAULT_LINES = 100;
const FOLLOW_MS = 300;
const NO_POSITIONALS = { least: 0, most: 0 };

export const describeServer = ({ url, pid, since }: RunningServer) =>
  `${url} (process ${pid}, since ${since})`;

export const downCommand: Command = {
  name: 'down',
  summary: 'stop the server that `up` started',
  usage: 'barograph down',
  details: `Stops the server of this account's data folder, and removes its service. All data is kept, agents stay connected,
and a service of \`barograph watch\` keeps running. Reports of agents are queued on disk until a server runs again. The command does not stop
a server that another command started. Exit code: 0 no server runs, 1 the server was not stopped.`,
  options: {},
  positionals: NO_POSITIONALS,
  run: runDown,
};

async function runDown({ values, out }: CommandContext): Promise<number> {
  const { dataFolder } = readOrExplain(values);
  const server = findRunningServer(dataFolder);
  if (server !== null && !server.isStartedByUp) {
    out.problem(
      `The server at ${describeServer(server)} was not started by \`barograph up\`: stop it where it runs.`,
    );
    return 1;
  }
  const removal = planRemoval('server', logFileOf(dataFolder));
  try {
    for (const change of removal) change.apply();
    stopWatch(dataFolder);
    const isGone =
      server === null || findRunningServer(dataFolder) === null || (await stopServer(dataFolder, server));
    if (!isGone)
      out.problem(`The server at ${describeServer(server)} does not stop. \`barograph logs\` shows why.`);
    else out.line(server === null ? `No server is running on ${dataFolder}.` : 'Stopped. All data is kept.');
    return isGone ? 0 : 1;
  } catch (error) {
    out.problem(`The server was not stopped: ${messageOf(error)}`);
    return 1;
  }
}

export const statusCommand: Command = {
  name: 'status',
  summary: 'show whether the server is running, and damaged queues',
  usage: 'barograph status',
  details: 'Exit code: 0 the server and its database answer, 1 they do not.',
  options: {},
  positionals: NO_POSITIONALS,
  run: runStatus,
};

async function runStatus({ values, out }: CommandContext): Promise<number> {
  const { dataFolder, queueFolder } = readOrExplain(values);
  const server = findRunningServer(dataFolder);
  const service = findService('server', logFileOf(dataFolder));
  const version = server && (await readHealth(server));
  const isUp = version !== null;
  const state = isUp ? `(Barograph ${version}) runs at` : 'does not respond at';
  out.line(server === null ? 'No server is running.' : `The server ${state} ${describeServer(server)}.`);
  out.line(`  Data     ${dataFolder}`);
  const watch = findWatch(dataFolder);
  if (service !== null) out.line(`  Service  ${service}`);
  if (watch !== null) out.line(`  Watch    process ${watch}, log ${join(dataFolder, 'watch.log')}`);
  if (logSizeOf(dataFolder) > 0) out.line(`  Log      ${logFileOf(dataFolder)}`);
  for (const { text } of findQueueProblems(queueFolder)) out.line(`  Queue    ${text}`);
  if (server === null) out.line('Start it: barograph up');
  return isUp ? 0 : 1;
}

export const logsCommand: Command = {
  name: 'logs',
  summary: 'show the log of a server in the background',
  usage: 'barograph logs [OPTIONS]',
  details:
    'Prints the last lines of the log of `barograph up --background`. A server in a terminal prints its log there.',
  options: {
    lines: { type: 'string', value: 'N', help: `number of lines (default ${DEFAULT_LINES})` },
    follow: { type: 'boolean', short: 'f', help: 'also print new lines until Ctrl-C' },
  },
  positionals: NO_POSITIONALS,
  run: runLogs,
};

async function runLogs({ values, out, signal }: CommandContext): Promise<number> {
  const { dataFolder } = readOrExplain(values);
  let printed = logSizeOf(dataFolder);
  if (printed === 0) {
    out.problem(`There is no log in ${dataFolder}. Only \`barograph up --background\` writes one.`);
    return 1;
  }
  const lines = numberValue(values, 'lines', 0, 1_000_000) ?? DEFAULT_LINES;
  if (values.follow === true) printed = endOfLines(dataFolder, 0);
  for (const line of lines === 0 ? [] : readLog(dataFolder, lines, 0, printed)) out.line(line);
  while (values.follow === true && !signal.aborted) {
    await rest(FOLLOW_MS, undefined, { signal }).catch(() => undefined);
    const size = logSizeOf(dataFolder);
    // A restart renames a large log and begins a new one.
    if (size < printed) printed = 0;
    // Print an unfinished line only when it is complete.
    const end = endOfLines(dataFolder, printed);
    if (end > printed)
      for (const line of readLog(dataFolder, Number.POSITIVE_INFINITY, printed, end)) out.line(line);
    printed = end;
  }
  return 0;
}

export const tokenCommand: Command = {
  name: 'token',
  summary: 'create, list, rotate and revoke tokens of the server on this machine',
  usage: 'barograph token --name NAME --scope SCOPES | --list | --rotate NAME_OR_ID | --revoke NAME_OR_ID',
  details: 'A token lets a program on another machine report or read. It is shown only once.',
  options: {
    name: { type: 'string', value: 'NAME', help: 'create a token with this name' },
    scope: { type: 'string', value: 'SCOPES', help: 'ingest, archive, read, admin, or several with commas' },
    project: {
      type: 'string',
      value: 'NAME',
      help: 'limit a token of scope ingest or archive to this project',
    },
    days: { type: 'string', value: 'DAYS', help: 'days until the token expires (default: never)' },
    list: { type: 'boolean', help: 'list active tokens and their last use' },
    rotate: { type: 'string', value: 'NAME_OR_ID', help: 'give a token a new secret' },
    overlap: { type: 'string', value: 'HOURS', help: 'hours for which the old secret stays valid (24)' },
    revoke: { type: 'string', value: 'NAME_OR_ID', help: 'revoke a token' },
  },
  positionals: NO_POSITIONALS,
  run: ({ values }) => {
    const args = Object.entries(values).flatMap(([name, value]) =>
      typeof value === 'string' ? [`--${name}=${value}`] : value === true ? [`--${name}`] : [],
    );
    return runServerProgram(values, 'token.mjs', args);
  },
};

export const backupCommand: Command = {
  name: 'backup',
  summary: 'write a backup of the database on this machine',
  usage: 'barograph backup [FILE]',
  details: `Writes one compressed SQL file (default: barograph-DATE.sql.gz), also while the server runs. It contains all items that
were acknowledged before the command started. Only its owner can read it, because it contains transcripts.`,
  options: {},
  positionals: { least: 0, most: 1 },
  run: ({ values, positionals }) => runServerProgram(values, 'backup.mjs', ['backup', ...positionals]),
};

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'restore a backup into an empty data folder or database',
  usage: 'barograph restore FILE',
  details: `Stop the server first. The data folder (BAROGRAPH_DATA_DIR) or the database (DATABASE_URL) must be empty. An incomplete or
damaged file restores nothing. The next start of the server upgrades a backup of an earlier version.`,
  options: {},
  positionals: { least: 1, most: 1 },
  run: ({ values, positionals }) => runServerProgram(values, 'backup.mjs', ['restore', ...positionals]),
};

export const distributeCommand: Command = {
  name: 'distribute',
  summary: 'distribute the items of sessions over the workers of a Citus cluster',
  usage: 'barograph distribute',
  details:
    'Stop the server first. DATABASE_URL names the coordinator. Experimental: docs/scaling.md says what is missing.',
  options: {},
  positionals: NO_POSITIONALS,
  run: ({ values }) => runServerProgram(values, 'backup.mjs', ['distribute']),
};

/** Path of a program of the server's package, because only that package can open the database. */
export function serverProgram(dataFolder: string, name: string): string {
  const program = findServerProgram(dataFolder);
  if (program === null) throw new UsageError('There is no server on this machine. Install it: barograph up');
  return join(dirname(program), name);
}

async function runServerProgram(values: Values, name: string, args: readonly string[]): Promise<number> {
  const program = serverProgram(readOrExplain(values).dataFolder, name);
  const child = spawn(process.execPath, [program, ...args], { stdio: 'inherit' });
  const [code] = await once(child, 'close');
  return code ?? 1;
}
