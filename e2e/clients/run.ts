/**
 * `npm run test:agents [-- --only CLIENT] [--short] [--keep]`
 *
 * Runs the real Claude Code, Agent SDK, Codex, Gemini CLI and OpenCode against a scripted model server, each client at
 * the same time as the others. Meanwhile, `barograph watch`, the hooks, the clients' telemetry (OTLP) and the library
 * report. At the end of a pass, `barograph import` reports every call again. The stored sessions must equal the model
 * server's ledger, except in the last pass: its server does not recognise repeated reports, so the comparison must fail.
 *
 * `--only codex` selects the scenarios with names that begin with `codex`. `--short` runs a few scenarios of two clients
 * with short delays, for `npm test`. Results: test-results/clients.json.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectFolder } from '@/scripts/lib/project-folder';
import type { TestResult } from '@/scripts/lib/report';
import { makeTempFolder, removeFolder } from '../support/temp-folder';
import { installClient } from './install-clients';
import { type Pass, type Row, runPass, stopAt } from './run-pass';
import { type ClientName, SCENARIOS, type Scenario } from './scenarios';

/** Every client makes as many calls in each pass with slow answers. */
const CALLS = 60;
const SLOW = [200, 2_000] as const;
const FAST = [20, 100] as const;
const SHORT = ['claude manual', 'claude sub-agent', 'codex automatic', 'codex sub-agent'];
/** Passes with these scenarios take little time, and each client has one. */
const QUICK = ['claude manual', 'sdk restarts', 'codex automatic', 'gemini automatic', 'opencode automatic'];
/** The whole run ends within this time, also if something hangs. */
const RUN_MS = 20 * 60_000;

const titleOf = ({ client, name }: Scenario) => `${client} ${name}`;

async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, short: { type: 'boolean' }, keep: { type: 'boolean' } },
  });
  const chosen = SCENARIOS.filter((scenario) => titleOf(scenario).startsWith(values.only ?? ''));
  if (chosen.length === 0) throw new Error(`No scenario begins with ${values.only}.`);
  const among = (titles: readonly string[]) =>
    chosen.filter((scenario) => titles.includes(titleOf(scenario)));
  const last = { name: 'no de-duplication', repeatsIds: true, delays: FAST, recognises: false };
  const passes: Pass[] = values.short
    ? [{ name: 'short', repeatsIds: true, delays: FAST, scenarios: among(SHORT) }]
    : [
        { name: 'unique ids', repeatsIds: false, delays: SLOW, scenarios: chosen },
        { name: 'repeated ids, library', repeatsIds: true, delays: SLOW, scenarios: chosen },
        { ...last, scenarios: among(QUICK) },
      ];
  const clients = new Map<ClientName, string>();
  try {
    for (const { client } of passes.flatMap(({ scenarios }) => scenarios))
      clients.set(client, installClient(client));
  } catch (error) {
    console.log(`skipped: this machine cannot install the clients: ${error}`);
    return report([{ runner: 'clients', test: INSTALLED, outcome: 'skipped' }]);
  }
  const folder = makeTempFolder('clients');
  const rows: Row[] = [];
  try {
    for (const pass of passes.filter(({ scenarios: own }) => own.length > 0)) {
      // A pass that fails as a whole must not lose the results of the others.
      const failed = (error: unknown): Row[] => [
        { pass: pass.name, client: 'all', scenario: 'the pass', calls: 0, result: String(error) },
      ];
      rows.push(...(await runPass(pass, join(folder, pass.name), clients).catch(failed)));
    }
  } finally {
    if (values.keep === true) console.log(`Homes and transcripts are in ${folder}.`);
    else removeFolder(folder);
  }
  if (!values.short && values.only === undefined) rows.push(...countCalls(rows));
  console.table(rows);
  return report([
    { runner: 'clients', test: INSTALLED, outcome: 'passed' },
    ...rows.map(
      ({ pass, scenario, result }): TestResult => ({
        runner: 'clients',
        test: `${pass} > ${scenario}`,
        outcome: result === 'as expected' ? 'passed' : 'failed',
        reason: result,
      }),
    ),
  ]);
}

const INSTALLED = 'the clients are available for this machine';

/** A row for each client, which fails if the client made too few calls. */
function countCalls(rows: readonly Row[]): Row[] {
  const { pass } = rows[0] ?? { pass: '' };
  const sums = new Map<string, number>();
  for (const row of rows.filter(({ calls }) => calls > 0))
    if (row.pass === pass) sums.set(row.client, (sums.get(row.client) ?? 0) + row.calls);
  return [...sums].map(([client, calls]) => ({
    pass,
    client,
    scenario: `${client}: ${CALLS} calls`,
    calls,
    result: calls >= CALLS ? 'as expected' : 'too few calls',
  }));
}

function report(results: TestResult[]): boolean {
  const folder = join(projectFolder, 'test-results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'clients.json'), JSON.stringify(results));
  return results.every(({ outcome }) => outcome !== 'failed');
}

stopAt(Date.now() + RUN_MS);
// The end of the program ends everything that still hangs a minute later.
setTimeout(() => process.exit(1), RUN_MS + 60_000).unref();
process.exit((await main()) ? 0 : 1);
