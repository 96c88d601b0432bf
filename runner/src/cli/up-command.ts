/** The command `up`, which starts the server, opens the browser, and offers to import and connect the agents. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { findAgents } from '../connect/agents';
import { SettingsProblem } from '../connect/edit-settings';
import { planRemoval, runsServices } from '../connect/services';
import { messageOf } from '../guard';
import { findServerProgram, installServer } from '../server/server-package';
import {
  awaitServer,
  findRunningServer,
  logFileOf,
  logSizeOf,
  type RunningServer,
  readHealth,
  readLog,
  startInBackground,
  startServer,
} from '../server/server-process';
import { findWatch, startWatch, stopWatch } from '../server/watch-process';
import { hasDisplay, sameServer } from '../settings';
import { VERSION } from '../version';
import type { Command, CommandContext } from './command';
import { connectCommand } from './connect-command';
import { readOrExplain } from './connection';
import { importCommand } from './import-command';
import { describeServer } from './server-commands';

const SHOWN_LOG_LINES = 20;
const OPENERS: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'xdg-open',
  darwin: 'open',
  win32: 'explorer',
};

export const upCommand: Command = {
  name: 'up',
  summary: 'start the server on this machine, and connect its agents',
  usage: 'barograph up [OPTIONS]',
  details: `Starts the server with its dashboard and its own PostgreSQL, and opens the browser. The first start installs the
server into the data folder with npm, which downloads about 30 MB. If this machine has agents that are not connected, the
command offers to import their past sessions. Then it runs \`barograph connect\`, which shows its changes and asks.

Where the system runs no services, \`barograph watch\` runs beside the server. Ctrl-C stops the server. With --background
the server keeps running: as a systemd user unit or a launchd agent, else as a separate process; \`barograph status\`,
\`logs\` and \`down\` manage it. BAROGRAPH_PORT sets the port, and BAROGRAPH_DATA_DIR the folder of all data. If a server
is already running, the command skips the start.`,
  options: {
    background: { type: 'boolean', short: 'b', help: 'return as soon as the server is ready' },
    yes: { type: 'boolean', short: 'y', help: 'import and connect agents without asking' },
    'no-agents': { type: 'boolean', help: 'do not import or connect agents' },
    'no-open': { type: 'boolean', help: 'do not open the browser' },
  },
  positionals: { least: 0, most: 0 },
  run: runUp,
};

async function runUp(context: CommandContext): Promise<number> {
  const { values, out, signal } = context;
  const { dataFolder } = readOrExplain(values);
  const isRunning = findRunningServer(dataFolder) !== null;
  const logged = logSizeOf(dataFolder);
  let child: ChildProcess | null = null;
  if (!isRunning) {
    try {
      const program = findServerProgram(dataFolder) ?? (await install(dataFolder, context));
      child =
        values.background === true ? startInBackground(program, dataFolder) : startServer(program, 'inherit');
    } catch (error) {
      if (signal.aborted) return 130;
      out.problem(messageOf(error));
      return 1;
    }
  }
  out.progress('Starting the server …');
  const server = await awaitServer(dataFolder, child, signal);
  out.progress(null);
  if (server === null) {
    const silent = child === null && !signal.aborted ? findRunningServer(dataFolder) : null;
    if (silent !== null) {
      out.problem(`The server at ${describeServer(silent)} does not respond. Its log: barograph logs`);
      return 1;
    }
    if (values.background === true && !isRunning) abandon(context, dataFolder, logged);
    return end(context, child);
  }
  out.line(
    isRunning
      ? `The server is already running at ${describeServer(server)}.`
      : `Barograph is ready at ${server.url}`,
  );
  if (!isRunning) out.line(`  Data  ${dataFolder}`);
  const version = await readHealth(server);
  if (isRunning && version !== null && version !== VERSION)
    out.line(`It is version ${version}. To run ${VERSION}: barograph down, then barograph up.`);
  openBrowser(context, server);
  // The server keeps running, even if an agent's transcripts or settings cannot be read.
  if (values['no-agents'] !== true)
    await addAgents(context, server).catch((error) => out.problem(messageOf(error)));
  const watch = values['no-agents'] === true ? null : watchAgents(context, dataFolder);
  if (isRunning || values.background === true) {
    if (!isRunning) out.line('The server runs in the background. Stop it with: barograph down');
    return signal.aborted ? 130 : 0;
  }
  out.line('Stop with Ctrl-C.');
  try {
    return await end(context, child);
  } finally {
    if (watch !== null) stopWatch(dataFolder);
  }
}

/** Starts `watch` if agents are connected and no service can run it. */
function watchAgents({ out }: CommandContext, dataFolder: string): ChildProcess | null {
  const isWanted = findAgents().some(
    ({ isFound, isConnected, file }) => isConnected || (isFound && file === null),
  );
  const watch = isWanted && !runsServices() ? startWatch(dataFolder) : null;
  if (watch !== null)
    out.line('`barograph watch` runs beside the server, and reads the transcripts of agents.');
  return watch;
}

async function install(dataFolder: string, { out, signal }: CommandContext): Promise<string> {
  out.line('Downloading the server (about 30 MB, only once) …');
  const startedAt = Date.now();
  const program = await installServer(dataFolder, signal);
  out.line(`Installed in ${((Date.now() - startedAt) / 1_000).toFixed(1)} s.`);
  return program;
}

/** Prints the log of a server that did not start, and removes its service. */
function abandon({ out }: CommandContext, dataFolder: string, logged: number): void {
  for (const line of readLog(dataFolder, SHOWN_LOG_LINES, logged)) out.problem(line);
  try {
    for (const change of planRemoval('server', logFileOf(dataFolder))) change.apply();
  } catch (error) {
    if (!(error instanceof SettingsProblem)) throw error;
    out.problem(error.message);
  }
}

/** Waits for the end of the server's process. @returns the exit code */
async function end({ out, signal }: CommandContext, child: ChildProcess | null): Promise<number> {
  if (child === null) return signal.aborted ? 130 : 1;
  const stop = () => void child.kill('SIGTERM');
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  if (signal.aborted) out.line('Stopped. All data is kept.');
  else if (child.signalCode !== null) {
    out.problem(`The signal ${child.signalCode} ended the server. No data is lost: run barograph up again.`);
    return 1;
  }
  return child.exitCode ?? 1;
}

function openBrowser({ values, out, confirm }: CommandContext, { url }: RunningServer): void {
  const opener = OPENERS[process.platform];
  if (values['no-open'] === true || confirm === undefined || opener === undefined || !hasDisplay()) return;
  const child = spawn(opener, [url], { detached: true, stdio: 'ignore' });
  child.on('error', () => out.line(`No browser was found. Open ${url} yourself.`));
  child.unref();
}

/** Offers to import and connect new agents. The import is first, because `watch` skips the existing lines of a session. */
async function addAgents(context: CommandContext, server: RunningServer): Promise<void> {
  const { values, out, confirm, signal } = context;
  const settings = readOrExplain(values);
  // Only `watch` reads an agent without settings.
  const isWatched = findWatch(settings.dataFolder) !== null;
  const found = findAgents().filter(
    ({ isFound, isConnected, file, problem }) =>
      isFound && !isConnected && problem === null && !(file === null && isWatched),
  );
  if (found.length === 0) return;
  const labels = new Intl.ListFormat('en-GB').format(found.map(({ label }) => label));
  if (settings.url !== null && !sameServer(settings.url, server.url)) {
    out.problem(`${labels}: not connected, because BAROGRAPH_URL names another server (${settings.url}).`);
    return;
  }
  if (values.yes !== true && confirm === undefined) {
    out.line(`Found: ${labels}. To import and connect them, run: barograph up --yes`);
    return;
  }
  const folders = settings.transcripts
    .filter(({ client, folder }) => found.some(({ label }) => label === client) && existsSync(folder))
    .map(({ folder }) => folder);
  const own = { ...context, values: values.yes === true ? { yes: true } : {} };
  if (
    folders.length > 0 &&
    (values.yes === true || (await confirm?.(`Import the past sessions of ${labels}?`)))
  )
    await importCommand.run({ ...own, positionals: folders });
  // Without services, this command runs `watch` itself.
  const connect = runsServices() ? own.values : { ...own.values, 'no-watch': true };
  const positionals = found.map(({ name }) => name);
  if (!signal.aborted) await connectCommand.run({ ...own, values: connect, positionals });
}
