/** Runs scenarios with one server and one model server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { projectFolder } from '@/scripts/lib/project-folder';
import { PATH, Program } from '../support/program';
import { readApi } from '../support/read-api';
import { connectRunner } from '../support/runner';
import { BarographServer, WITHOUT_DEDUPLICATION } from '../support/server';
import { ClientHome } from './client-home';
import { CodexHome } from './codex-home';
import { compareWithLedger, type ExpectedSession, findSurplus } from './compare-ledger';
import { GeminiHome } from './gemini-home';
import { type ModelOptions, ModelServer } from './model-server';
import { OpencodeHome } from './opencode-home';
import type { ClientName, Scenario, World } from './scenarios';

export interface Pass extends ModelOptions {
  name: string;
  scenarios: Scenario[];
  /** False: the server does not recognise repeated reports. */
  recognises?: boolean;
}

export interface Row {
  pass: string;
  client: string;
  scenario: string;
  calls: number;
  result: string;
}

const CLI = join(projectFolder, 'runner', 'dist', 'cli.js');
/** Where the clients store their sessions. */
const TRANSCRIPTS: Record<ClientName, string> = {
  claude: '.claude/projects',
  sdk: '.claude/projects',
  codex: '.codex/sessions',
  gemini: '.gemini',
  opencode: '.local/share/opencode',
};
/** Differences that do not change for this time are final. */
const SETTLED_MS = 60_000;
const SCENARIO_MS = 180_000;
let endsAt = Number.POSITIVE_INFINITY;

/** Ends all scenarios at this time, in milliseconds since the epoch. */
export function stopAt(time: number): void {
  endsAt = time;
}

/** @param programs the installed clients */
export async function runPass(
  pass: Pass,
  folder: string,
  programs: ReadonlyMap<ClientName, string>,
): Promise<Row[]> {
  const { recognises = true, scenarios } = pass;
  const server = await BarographServer.start('clients', recognises ? {} : WITHOUT_DEDUPLICATION);
  const model = await ModelServer.start(Object.assign({}, ...scenarios.map(({ scripts }) => scripts)), pass);
  try {
    const rows = await runClients(pass, folder, programs, server, model);
    for (const path of model.unknown) console.log(`unknown to the model server: ${path}`);
    const faults = server.faults();
    for (const fault of faults) console.log(`server: ${fault}`);
    const result = faults.length === 0 ? 'as expected' : `${faults.length} faults`;
    return [...rows, { pass: pass.name, client: 'server', scenario: 'errors in the log', calls: 0, result }];
  } finally {
    await model.stop();
    await server.remove();
  }
}

async function runClients(
  pass: Pass,
  folder: string,
  programs: ReadonlyMap<ClientName, string>,
  server: BarographServer,
  model: ModelServer,
): Promise<Row[]> {
  const { environment, connection } = server;
  const shared = { modelUrl: model.url, environment, connection };
  const programOf = (client: ClientName) => programs.get(client) ?? '';
  const [home, work] = [join(folder, 'home'), join(folder, 'work')];
  const claude = new ClientHome({ home, work, program: programOf('claude'), ...shared });
  const codex = new CodexHome({ home, work, program: programOf('codex'), ...shared });
  const gemini = new GeminiHome({ home, work, program: programOf('gemini'), ...shared });
  const opencode = new OpencodeHome({ home, work, program: programOf('opencode'), ...shared });
  // A synchronous call would block this process, which would then reuse connections that the server has closed.
  const barograph = async (...args: string[]) => {
    const child = spawn(process.execPath, [CLI, ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { PATH, HOME: home, NODE_ENV: 'production', ...environment },
    });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`barograph ${args[0]} ended with ${code}`);
  };
  await barograph('connect', 'claude-code', 'codex', 'gemini', '--yes', '--no-watch');
  const watch = new Program(process.execPath, [CLI, 'watch'], { home, environment });
  const runner = pass.repeatsIds ? connectRunner(server, { project: 'sdk-programs' }) : null;
  const sdk = programs.get('sdk');
  const query = sdk === undefined ? undefined : ((await import(sdk)) as Pick<World, 'query'>).query;
  const { recognises = true } = pass;
  const world = { claude, codex, gemini, opencode, model, api: readApi(server), runner, query } as World;
  try {
    await watch.waitFor('Watching');
    const lanes = new Map<ClientName, Scenario[]>();
    for (const scenario of pass.scenarios)
      lanes.set(scenario.client, [...(lanes.get(scenario.client) ?? []), scenario]);
    const ran = await Promise.all([...lanes].map(([client, lane]) => runLane(pass, client, lane, world)));
    const folders = new Set([...lanes.keys()].map((client) => join(home, TRANSCRIPTS[client])));
    await barograph('import', ...folders, '--again', '--upload-archives', 'off');
    const again = ran.map(({ client, sessions }) => compareAgain(pass, client, sessions, world));
    const compared = await Promise.all(again);
    const surplus = recognises
      ? await findSurplus(
          world.api,
          ran.flatMap(({ sessions }) => sessions),
        )
      : [];
    const rest = rowOf(pass, 'all', 'nothing else is stored', 0, surplus);
    return [...ran.flatMap(({ rows }) => rows), ...compared, rest];
  } finally {
    for (const client of [claude, codex, gemini, opencode]) client.stop();
    await runner?.close(2_000);
    await watch.stop();
    if (watch.stderr !== '') console.log(`watch: ${watch.stderr}`);
  }
}

interface Lane {
  client: ClientName;
  rows: Row[];
  sessions: ExpectedSession[];
}

/** Run the scenarios of one client, and compare the sessions after each. */
async function runLane(pass: Pass, client: ClientName, lane: Scenario[], world: World): Promise<Lane> {
  const all: Lane = { client, rows: [], sessions: [] };
  for (const { name, run } of lane) {
    let sessions: ExpectedSession[] = [];
    let differences: string[] = [];
    try {
      sessions = await inTime(run(world));
      if (pass.recognises ?? true) differences = await compareUntil(world, sessions, isEmpty);
    } catch (error) {
      differences = [String(error)];
    }
    if (client !== 'sdk') world[client].stop();
    const calls = world.model.ledger.filter(({ session }) => sessions.some(({ id }) => id === session));
    all.rows.push(rowOf(pass, client, `${client} ${name}`, calls.length, differences));
    all.sessions.push(...sessions);
  }
  return all;
}

/** Compare after an import of everything. A server that recognises no repeated report counts each call twice. */
async function compareAgain(
  pass: Pass,
  client: ClientName,
  sessions: ExpectedSession[],
  world: World,
): Promise<Row> {
  const scenario = `${client} imported again`;
  if (pass.recognises ?? true)
    return rowOf(pass, client, scenario, 0, await compareUntil(world, sessions, isEmpty));
  const countsTwice = (differences: string[]) => differences.some((each) => /counted [2-9] times/.test(each));
  const differences = await compareUntil(world, sessions, countsTwice);
  const result = countsTwice(differences) ? [] : ['the comparison does not fail'];
  return rowOf(pass, client, `${scenario}: the comparison fails`, 0, result);
}

function rowOf({ name }: Pass, client: string, scenario: string, calls: number, differences: string[]): Row {
  for (const difference of differences) console.log(`${name}, ${scenario}: ${difference}`);
  const result = differences.length === 0 ? 'as expected' : `${differences.length} differ`;
  return { pass: name, client, scenario, calls, result };
}

/** @throws Error if a scenario hangs */
async function inTime<T>(running: Promise<T>): Promise<T> {
  const left = Math.min(SCENARIO_MS, endsAt - Date.now());
  let timer: NodeJS.Timeout | undefined;
  const hangs = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${Math.round(left / 1_000)} s`)), left);
  });
  return Promise.race([running, hangs]).finally(() => clearTimeout(timer));
}

const isEmpty = (differences: string[]) => differences.length === 0;

/** Compare until the differences are the wanted ones, or final. */
async function compareUntil(
  { api, model }: World,
  sessions: ExpectedSession[],
  isWanted: (differences: string[]) => boolean,
): Promise<string[]> {
  for (let last = '', since = Date.now(); ; await wait(300)) {
    const differences = await compareWithLedger(api, model.ledger, sessions);
    const isFinal = Date.now() > endsAt || Date.now() - since > SETTLED_MS;
    if (isWanted(differences) || isFinal) return differences;
    if (differences.join() !== last) [last, since] = [differences.join(), Date.now()];
  }
}
