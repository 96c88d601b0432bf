/**
 * `npm run chaos` causes faults under load and compares every stored row with what was issued. `-- --full` is the long
 * form, which also seeds bugs that the tests must catch, as `--bugs` does; `--only NAME` runs one fault, `--seed N` repeats
 * a run, `--write` renews the rows of docs/reliability.md. Results: test-results/chaos.json.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectFolder } from '../lib/project-folder';
import type { TestResult } from '../lib/report';
import { type BugResult, findPatchProblem, listBugs, tryBug } from './bugs';
import { runScenarios, scenarios, type Tier } from './scenarios';
import type { Outcome } from './under-load';

const { values } = parseArgs({
  options: {
    full: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    seed: { type: 'string', default: '1' },
    bugs: { type: 'boolean', default: false },
  },
});
const { only, seed } = values;
const tier: Tier = values.full ? 'full' : 'short';
const names = scenarios.map(({ name }) => name);
const unknown = only.find((name) => !names.includes(name));
if (unknown !== undefined) throw new Error(`No fault "${unknown}". Faults: ${names.join(', ')}`);

const results: TestResult[] = [];
const add = (test: string, outcome: TestResult['outcome'], reason = '') =>
  void results.push({ runner: 'chaos', test, outcome, ...(reason && { reason }) });
const judge = ({ isSkipped, lost, doubled, wrongSums, problems }: Outcome) =>
  isSkipped ? 'skipped' : lost + doubled + wrongSums + problems.length === 0 ? 'passed' : 'failed';

const rows = await runScenarios(tier, Number(seed), only, ({ name, fault }, outcome, seconds) => {
  const { times, turns, lost, doubled, wrongSums, note, problems } = outcome;
  const wrong = [`${lost} lost, ${doubled} doubled, ${wrongSums} wrong sums`, ...problems].join('; ');
  const result = judge(outcome);
  add(fault, result, result === 'failed' ? wrong : note);
  const figures = `${times} times, ${turns} turns, ${[wrong, note].filter(Boolean).join('; ')}`;
  process.stdout.write(
    `${result.padEnd(8)}${name.padEnd(17)}${seconds.toFixed(1).padStart(6)} s  ${figures}\n`,
  );
});

/** Without `--full` or `--bugs`, only whether the patches still apply. */
const isTried = values.full || values.bugs;
const bugs = (only.length > 0 && !values.bugs ? [] : listBugs()).map((bug): BugResult => {
  const result = isTried ? tryBug(bug) : { bug, caughtBy: '', problem: findPatchProblem(bug) };
  if (isTried || result.problem !== '')
    process.stdout.write(`${result.problem === '' ? 'caught' : 'MISSED'} ${bug}  ${result.problem}\n`);
  return result;
});
const missed = bugs.filter(({ problem }) => problem !== '');
if (bugs.length > 0) {
  const reason = missed.map(({ bug, problem }) => `${bug}: ${problem}`).join('; ');
  add('seeded bugs', missed.length === 0 ? 'passed' : 'failed', reason);
}
mkdirSync(join(projectFolder, 'test-results'), { recursive: true });
writeFileSync(join(projectFolder, 'test-results', 'chaos.json'), JSON.stringify(results));
if (values.write) writePage();
process.exit(results.some(({ outcome }) => outcome === 'failed') ? 1 : 0);

/** Renew the rows of the faults that ran, and the table of the bugs if they were tried. */
function writePage(): void {
  const path = join(projectFolder, 'docs', 'reliability.md');
  const [before = '', bugTable = ''] = readFileSync(path, 'utf8').split('\n## Seeded bugs\n');
  const number = (value: number) => value.toLocaleString('en').replaceAll(',', ' ');
  const run = `${tier}, ${new Date().toISOString().slice(0, 10)}`;
  const lines = new Map([...before.matchAll(/^\| ([^|]+) \|.*$/gm)].map(([line, fault]) => [fault, line]));
  for (const { scenario, outcome } of rows) {
    const { times, turns, lost, doubled, wrongSums, note } = outcome;
    const cells = [scenario.fault, run, ...[times, turns, lost, doubled, wrongSums].map(number), note];
    lines.set(scenario.fault, `| ${cells.join(' | ')} |`);
  }
  const table = scenarios.flatMap(({ fault }) => lines.get(fault) ?? []).join('\n');
  const triedBugs = bugs.map(
    ({ bug, caughtBy, problem }) =>
      `| ${bug.replaceAll('-', ' ')} | ${caughtBy} | ${problem === '' ? 'yes' : 'no'} |`,
  );
  const newBugTable = `
${bugs.length - missed.length} of ${bugs.length} caught.

| bug | test | caught |
|---|---|---|
${triedBugs.join('\n')}
`;
  const text = `# Reliability

\`npm run chaos -- --write\` renews the rows of the faults that it runs; here with ${cpus().length} processor cores. Rows with
\`full\` are from the long form (\`--full\`).

Runners with the published client issue turns while faults happen. Every seventh call is reported twice, first without its
final output, and two runners write into each shared session. Then every row in PostgreSQL is compared with the issued turns.
After each fault, a new turn must be stored.

- Lost: issued or acknowledged, but not stored.
- Doubled: stored twice, or never issued.
- Wrong sums: rows with other figures, another order or another running sum, and totals that differ from the rows.

| fault | run | times | turns | lost | doubled | wrong sums | measured |
|---|---|---|---|---|---|---|---|
${table}

The server runs as a separate process with an embedded, durable PostgreSQL. Turns in a damaged queue count as lost only if
their line was intact.

## Seeded bugs
`;
  writeFileSync(path, text + (isTried && bugs.length > 0 ? newBugTable : bugTable));
}
