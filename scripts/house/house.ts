/**
 * Figures of the code: lines per room and language, layer violations, unused exports, comments, and banned words.
 *
 * `npm run house` prints the figures; with a folder (`npm run house -- core`) it prints the lines of each subfolder.
 * `--check` compares the figures with scripts/house/budget.json, `--tighten` lowers that budget to the current figures,
 * and `--list` also prints every finding.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { groupBy } from '../../db/group-by';
import { projectFolder } from '../lib/project-folder';
import { findForbiddenImports, readImports } from './imports';
import { countCommentLines, readSources, type SourceFile } from './sources';
import { findBannedWords } from './words';

interface Budget {
  /** Lines of TypeScript, TSX and CSS without tests, by room. */
  sourceLines: Record<string, number>;
  testLines: number;
  /** Highest allowed count by title of the figure. */
  findings: Record<string, number>;
  commentPercent: { min: number; max: number };
}

const MAX_FILE_LINES = 400;
const MAX_SUBJECT_CHARACTERS = 72;
/** Budgets of lines are multiples of this, so that a small fix does not need a raise. */
const LINE_STEP = 100;
const CHECKED_COMMITS = 100;
const LANGUAGES = ['TypeScript', 'TSX', 'CSS', 'Python'];
const budgetPath = join(projectFolder, 'scripts/house/budget.json');

const sum = (files: readonly SourceFile[]) => files.reduce((lines, file) => lines + file.lines, 0);

function tool(file: string, args: string[]): string {
  const { stdout, stderr } = spawnSync(file, args, { cwd: projectFolder, encoding: 'utf8', maxBuffer: 1e8 });
  if (stdout === '' && stderr !== '') process.stderr.write(`${file} ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** `path: name` of each export that no other file imports. */
function findUnusedExports(...options: string[]): string[] {
  interface Report {
    issues: { file: string; files: object[]; exports: { name: string }[]; types: { name: string }[] }[];
  }
  const knip = join(projectFolder, 'node_modules/knip/bin/knip.js');
  const args = ['--no-progress', '--include', 'exports,types,files', '--reporter', 'json', '--no-exit-code'];
  const { issues } = JSON.parse(tool(process.execPath, [knip, ...args, ...options])) as Report;
  return issues.flatMap(({ file, files, exports, types }) => [
    ...files.map(() => `${file}: the whole file`),
    ...[...exports, ...types].map(({ name }) => `${file}: ${name}`),
  ]);
}

function findLongSubjects(): string[] {
  const log = tool('git', ['log', `-${CHECKED_COMMITS}`, '--format=%h %s']);
  if (log === '') process.stdout.write('Commit subjects are not checked: this copy has no history.\n');
  return log.split('\n').filter((line) => line.slice(line.indexOf(' ') + 1).length > MAX_SUBJECT_CHARACTERS);
}

function collectFindings(files: readonly SourceFile[]): Record<string, string[]> {
  const unused = findUnusedExports();
  return {
    'imports against the layers': findForbiddenImports(readImports(projectFolder, files)),
    'unused exports': unused,
    'exports used by tests only': findUnusedExports('--production').filter((name) => !unused.includes(name)),
    [`source files over ${MAX_FILE_LINES} lines`]: files
      .filter(({ kind, lines }) => kind === 'source' && lines > MAX_FILE_LINES)
      .map(({ path, lines }) => `${path}: ${lines}`),
    'banned words in texts': findBannedWords(projectFolder, files),
    [`commit subjects over ${MAX_SUBJECT_CHARACTERS} characters`]: findLongSubjects(),
  };
}

function printLines(files: readonly SourceFile[], keyOf: (file: SourceFile) => string): void {
  const row = (name: string, cells: (number | string)[]) =>
    process.stdout.write(`${name.padEnd(32)}${cells.map((cell) => String(cell).padStart(11)).join('')}\n`);
  const print = (name: string, group: readonly SourceFile[]) => {
    const source = group.filter(({ kind }) => kind === 'source');
    row(name, [
      source.length,
      ...LANGUAGES.map((language) => sum(source.filter((file) => file.language === language))),
      sum(group.filter(({ kind }) => kind === 'test')),
    ]);
  };
  row('', ['files', ...LANGUAGES, 'tests']);
  for (const [name, group] of groupBy(files, keyOf)) print(name, group);
  print('all', files);
}

function judge(budget: Budget, today: Budget): string[] {
  const over = (title: string, value: number, limit: number, advice: string) =>
    value > limit ? [`${title}: ${value}, budget ${limit}. ${advice}`] : [];
  const raise = 'Remove lines, or raise scripts/house/budget.json in a commit that gives the reason.';
  const { min, max } = budget.commentPercent;
  const comments = today.commentPercent.max;
  return [
    ...Object.entries(today.sourceLines).flatMap(([room, lines]) =>
      over(`Source lines of ${room}/`, lines, budget.sourceLines[room] ?? 0, raise),
    ),
    ...over('Test lines', today.testLines, budget.testLines, raise),
    ...Object.entries(today.findings).flatMap(([title, count]) =>
      over(title, count, budget.findings[title] ?? 0, '`npm run house -- --list` prints them.'),
    ),
    ...(comments < min || comments > max
      ? [`Comments: ${comments} % of the lines, ${min}–${max} % allowed.`]
      : []),
  ];
}

function tighten(budget: Budget, today: Budget): Budget {
  const lower = (old: Record<string, number>, now: Record<string, number>, step = 1) =>
    Object.fromEntries(
      Object.entries(now).map(([name, value]) => {
        const reached = Math.ceil(value / step) * step;
        return [name, Math.min(reached, old[name] ?? reached)];
      }),
    );
  return {
    sourceLines: lower(budget.sourceLines, today.sourceLines, LINE_STEP),
    testLines: Math.min(budget.testLines, Math.ceil(today.testLines / LINE_STEP) * LINE_STEP),
    findings: lower(budget.findings, today.findings),
    commentPercent: budget.commentPercent,
  };
}

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { check: { type: 'boolean' }, tighten: { type: 'boolean' }, list: { type: 'boolean' } },
  });
  const files = readSources(projectFolder);
  const folder = positionals[0]?.replace(/\/$/, '');
  if (folder !== undefined) {
    const depth = folder.split('/').length + 1;
    printLines(
      files.filter(({ path }) => path.startsWith(`${folder}/`)),
      ({ path }) =>
        path
          .split('/')
          .slice(0, Math.min(depth, path.split('/').length - 1))
          .join('/'),
    );
    return;
  }
  printLines(files, ({ room }) => room);

  const counted = files.filter(({ kind, language }) => kind === 'source' && language !== 'Python');
  const comments = counted.reduce((lines, file) => lines + countCommentLines(file), 0);
  const percent = Math.round((1_000 * comments) / sum(counted)) / 10;
  const findings = collectFindings(files);
  process.stdout.write(`\n${sum(counted)} lines of TypeScript, TSX and CSS; ${percent} % comments\n`);
  for (const [title, list] of Object.entries(findings)) {
    process.stdout.write(`${String(list.length).padStart(6)}  ${title}\n`);
    if (values.list) for (const line of list) process.stdout.write(`        ${line}\n`);
  }

  const today: Budget = {
    sourceLines: Object.fromEntries(
      [...groupBy(counted, ({ room }) => room)].map(([room, group]) => [room, sum(group)]),
    ),
    testLines: sum(files.filter(({ kind, language }) => kind === 'test' && language !== 'Python')),
    findings: Object.fromEntries(Object.entries(findings).map(([title, list]) => [title, list.length])),
    commentPercent: { min: percent, max: percent },
  };
  const budget = JSON.parse(readFileSync(budgetPath, 'utf8')) as Budget;
  if (values.tighten) writeFileSync(budgetPath, `${JSON.stringify(tighten(budget, today), null, 2)}\n`);
  if (!values.check) return;
  const problems = judge(budget, today);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

main();
