/**
 * Figures of the code: lines per room and language, layer violations, unused exports, comments, and banned words.
 *
 * `npm run house` prints the figures, and the rooms beyond their budget in scripts/house/budget.json; with a folder
 * (`npm run house -- core`) it prints the lines of each subfolder. `--list` also prints every finding. `--check` fails on
 * a finding of GATES; figures fail nothing.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { groupBy } from '../../db/group-by';
import { findUnshown } from '../check-seeds';
import { projectFolder } from '../lib/project-folder';
import { findForbiddenImports, readImports } from './imports';
import { countCommentLines, readSources, type SourceFile } from './sources';
import { findBannedWords } from './words';

/** Intended lines of TypeScript, TSX and CSS without tests, by room. */
type Budget = Record<string, number>;

/** Findings that fail the check. */
const GATES = ['imports against the layers', 'unused exports', 'banned words in texts'];
const MAX_FILE_LINES = 400;
const MAX_SUBJECT_CHARACTERS = 72;
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
    'requirements without a test': findUnshown(
      readFileSync(join(projectFolder, 'docs/seeds.md'), 'utf8'),
      projectFolder,
    ),
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

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { check: { type: 'boolean' }, list: { type: 'boolean' } },
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

  const budget = JSON.parse(readFileSync(budgetPath, 'utf8')) as Budget;
  for (const [room, group] of groupBy(counted, (file) => file.room)) {
    const planned = budget[room] ?? 0;
    if (sum(group) > planned)
      process.stdout.write(`${room}/ has ${sum(group)} lines, its budget is ${planned}.\n`);
  }
  if (!values.check) return;
  const problems = GATES.flatMap((title) => findings[title] ?? []);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

main();
