/**
 * `npm run test:agents [-- --only SCENARIO] [--keep]`
 *
 * Runs the real Claude Code, Agent SDK, Codex, Gemini CLI and OpenCode against a scripted model server. Meanwhile,
 * `barograph watch`, the hooks, the clients' telemetry (OTLP) and, in the second pass, the library report. Then compares
 * the stored sessions with the model server's ledger. In the second pass the ids of calls repeat in every session. Ends
 * with 1 on any difference. `--only codex` selects the scenarios with names that begin with `codex`.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectFolder } from '@/scripts/lib/project-folder';
import { PATH, Program } from '../support/program';
import { readApi } from '../support/read-api';
import { connectRunner } from '../support/runner';
import { BarographServer } from '../support/server';
import { makeTempFolder, removeFolder } from '../support/temp-folder';
import { ClientHome } from './client-home';
import { CodexHome } from './codex-home';
import { compareWithLedger, type ExpectedSession } from './compare-ledger';
import { GeminiHome } from './gemini-home';
import { type Clients, installClients, PACKAGES } from './install-clients';
import { ModelServer } from './model-server';
import { OpencodeHome } from './opencode-home';
import { SCENARIOS, type Scenario, type World } from './scenarios';

const CLI = join(projectFolder, 'runner', 'dist', 'cli.js');
/** Differences that do not change for this time are final. */
const SETTLED_MS = 6_000;
const SCENARIO_MS = 90_000;
/** The whole run ends within this time, also if something hangs. */
const RUN_MS = 15 * 60_000;
const startedAt = Date.now();

interface Row {
  pass: string;
  scenario: string;
  calls: number;
  result: string;
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { only: { type: 'string' }, keep: { type: 'boolean' } } });
  const clients = installClients();
  if ('missing' in clients) {
    console.log(`skipped: the clients cannot be installed: ${clients.missing}`);
    return 0;
  }
  console.log(PACKAGES.join(', '));
  const scenarios = SCENARIOS.filter(({ name }) => name.startsWith(values.only ?? ''));
  if (scenarios.length === 0) throw new Error(`No scenario begins with ${values.only}.`);
  const folder = makeTempFolder('clients');
  const server = await BarographServer.start('clients');
  try {
    const rows: Row[] = [];
    for (const isSecond of [false, true])
      rows.push(...(await runPass(isSecond, join(folder, `${isSecond}`), server, clients, scenarios)));
    console.table(rows);
    const faults = server.faults();
    for (const fault of faults) console.log(`server: ${fault}`);
    return faults.length === 0 && rows.every(({ result }) => result === 'equal') ? 0 : 1;
  } finally {
    await server.remove();
    if (values.keep === true) console.log(`Homes and transcripts are in ${folder}.`);
    else removeFolder(folder);
  }
}

async function runPass(
  isSecond: boolean,
  folder: string,
  server: BarographServer,
  clients: Clients,
  scenarios: Scenario[],
) {
  const model = await ModelServer.start(
    Object.assign({}, ...scenarios.map(({ scripts }) => scripts)),
    isSecond,
  );
  const { environment, connection } = server;
  const shared = { modelUrl: model.url, environment, connection };
  const client = new ClientHome({ folder, claude: clients.claude, ...shared });
  const { home, work } = client;
  const codex = new CodexHome({ home, work, program: clients.codex, ...shared });
  const gemini = new GeminiHome({ home, work, program: clients.gemini, ...shared });
  const opencode = new OpencodeHome({ home, work, program: clients.opencode, ...shared });
  const connected = ['claude-code', 'codex', 'gemini'];
  execFileSync(process.execPath, [CLI, 'connect', ...connected, '--yes', '--no-watch'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH, HOME: client.home, NODE_ENV: 'production', ...environment },
  });
  const watch = new Program(process.execPath, [CLI, 'watch'], { home: client.home, environment });
  const runner = isSecond ? connectRunner(server, { project: 'sdk-programs' }) : null;
  const rows: Row[] = [];
  try {
    await watch.waitFor('Watching');
    const { query } = (await import(clients.sdk)) as Pick<World, 'query'>;
    for (const { name, run } of scenarios) {
      const from = model.ledger.length;
      const world = { client, codex, gemini, opencode, model, api: readApi(server), query, runner };
      const differences = await inTime(run(world)).then(
        (expected) => compareWhenSettled(server, model.ledger.slice(from), expected),
        (error: unknown) => [String(error)],
      );
      for (const agent of [client, codex, gemini, opencode]) agent.stop();
      const pass = isSecond ? 'repeated ids, library' : 'unique ids';
      for (const difference of differences) console.log(`${pass}, ${name}: ${difference}`);
      const result = differences.length === 0 ? 'equal' : `${differences.length} differ`;
      rows.push({ pass, scenario: name, calls: model.ledger.length - from, result });
    }
    for (const path of model.unknown) console.log(`unknown to the model server: ${path}`);
    return rows;
  } finally {
    await runner?.close(2_000);
    await watch.stop();
    if (watch.stderr !== '') console.log(`watch: ${watch.stderr}`);
    await model.stop();
  }
}

/** @throws Error if a scenario hangs */
async function inTime<T>(running: Promise<T>): Promise<T> {
  const left = Math.min(SCENARIO_MS, startedAt + RUN_MS - Date.now());
  let timer: NodeJS.Timeout | undefined;
  const hangs = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${Math.round(left / 1_000)} s`)), left);
  });
  return Promise.race([running, hangs]).finally(() => clearTimeout(timer));
}

/** Compare until nothing differs, or until the differences are final. */
async function compareWhenSettled(
  server: BarographServer,
  ledger: ModelServer['ledger'],
  expected: ExpectedSession[],
): Promise<string[]> {
  for (let last = '', since = Date.now(); ; await new Promise((done) => setTimeout(done, 300))) {
    const differences = await compareWithLedger(readApi(server), ledger, expected);
    const isLate = Date.now() - startedAt > RUN_MS;
    if (differences.length === 0 || isLate || Date.now() - since > SETTLED_MS) return differences;
    if (differences.join() !== last) [last, since] = [differences.join(), Date.now()];
  }
}

// The end of the program ends everything that still hangs a minute later.
setTimeout(() => process.exit(1), RUN_MS + 60_000).unref();
process.exit(await main());
