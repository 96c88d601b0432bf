/**
 * `npm run api-docs` writes docs/library/ from the docstrings, one page for each entry point of the package, and the
 * table of these pages in README.md. `--check` fails if the pages differ. Both fail if an export, an
 * option or a field has no description, if an option lacks its default or unit, or if a signature names a type that is
 * not exported.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectFolder } from '../lib/project-folder';

const here = join(projectFolder, 'scripts', 'api-docs');
const pages = join(projectFolder, 'docs', 'library');
/** Pages that this script does not write. */
const WRITTEN_BY_HAND = ['recipes.md'];

/** The bare package name is the client. */
const CLIENT_PAGE = 'client.md';

interface EntryPoint {
  /** As a program imports it: `barograph/usage`. */
  name: string;
  /** Path, relative to the project. */
  source: string;
  /** TypeDoc's name of the module. */
  module: string;
  page: string;
  introduction: string;
}

/** Entry points in the order of runner/package.json. Each file must begin with a comment about the entry point. */
function entryPoints(): EntryPoint[] {
  const manifest: { name: string; exports: Record<string, { import: { types: string } } | string> } =
    JSON.parse(readFileSync(join(projectFolder, 'runner', 'package.json'), 'utf8'));
  return Object.entries(manifest.exports).flatMap(([path, target]) => {
    if (typeof target === 'string') return [];
    const source = target.import.types.replace(/^\.\/dist\/types\//, '').replace(/\.d\.ts$/, '.ts');
    const module = source.replace(/^runner\/src\//, '').replace(/(\/index)?\.ts$/, '');
    return [
      {
        name: path.replace(/^\./, manifest.name),
        source,
        module,
        page: module === 'index' ? CLIENT_PAGE : `${module}.md`,
        introduction: firstComment(source, readFileSync(join(projectFolder, source), 'utf8')),
      },
    ];
  });
}

function firstComment(source: string, text: string): string {
  const [, comment] = /^\/\*\*([\s\S]*?)\*\//.exec(text) ?? [];
  if (comment === undefined) throw new Error(`${source} must begin with a comment about itself`);
  return comment
    .replace('@module', '')
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, '').trimEnd())
    .join('\n')
    .trim();
}

function writePage({ name, source, introduction }: EntryPoint, generated: string): string {
  const body = generated
    // The title and the module comment, which writePage adds itself.
    .replace(/^[\s\S]*?(?=^## )/m, '')
    // Anchors of table rows that nothing links to.
    .replace(/<a id="[^"]*"><\/a> /g, '')
    .replaceAll('](index.md', `](${CLIENT_PAGE}`)
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return [
    `# ${name}`,
    introduction,
    `_Written from the docstrings of \`${source}\` by \`npm run api-docs\`._`,
    `\`\`\`ts\nimport { … } from '${name}';\n\`\`\``,
    `${body}\n`,
  ].join('\n\n');
}

/** README.md, which people write, with a new table of the entry points. */
function writeIndex(entries: readonly EntryPoint[]): string {
  const rows = entries.map(
    ({ name, page, introduction }) => `| [\`${name}\`](${page}) | ${firstSentence(introduction)} |`,
  );
  const table = ['| import | what it is |', '|---|---|', ...rows].join('\n');
  const index = readFileSync(join(pages, 'README.md'), 'utf8');
  return index.replace(/^\| import \|.*\n(\|.*\n)*/m, () => `${table}\n`);
}

/** The first sentence of a text, on one line. The name of the entry point before it is removed. */
function firstSentence(text: string): string {
  const line = text.replace(/\s+/g, ' ').replace(/^`barograph[\w/]*`:? /, '');
  const sentence = /^.*?[.!?](?= |$)/.exec(line)?.[0] ?? line;
  return (sentence.charAt(0).toUpperCase() + sentence.slice(1)).replaceAll('|', '\\|');
}

/** One sentence per row of a page's tables that describes nothing, and per table of fields without descriptions. */
function findUndescribed(name: string, page: string): string[] {
  const rows = page.match(/^\| `.*\| - \|$|^\| Property \| Type \|$/gm) ?? [];
  return rows.map((row) => `docs/library/${name} lacks a description: ${row}`);
}

/** One sentence per option without its default, or with a number without its unit. */
function findIncomplete(name: string, page: string): string[] {
  const UNIT =
    /tokens?\b|percent|share|millisecond|seconds|number of|bytes|size|since the epoch|how many|events|messages|port/i;
  return page.split(/^### /m).flatMap((section) => {
    const [title = ''] = section.split('\n', 1);
    if (!/(Options|Filter|Config|Thresholds)$/.test(title)) return [];
    return section
      .split('\n')
      .map((row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim()))
      .filter(([, option]) => option?.startsWith('`'))
      .flatMap(([, option = '', type = '', text = '']) => [
        ...(option.includes('?') && !/default|absent/i.test(text) ? [`${option} lacks a default`] : []),
        ...(/`number`/.test(type) && !UNIT.test(option + text) ? [`${option} lacks a unit`] : []),
      ])
      .map((fault) => `docs/library/${name}, ${title}: ${fault}`);
  });
}

/** File name → text. @throws Error if TypeDoc fails */
function generate(entries: readonly EntryPoint[]): Map<string, string> {
  const work = mkdtempSync(join(tmpdir(), 'barograph-api-docs-'));
  try {
    const options = JSON.parse(readFileSync(join(here, 'typedoc.json'), 'utf8'));
    const config = join(work, 'typedoc.json');
    const out = join(work, 'out');
    writeFileSync(
      config,
      JSON.stringify({
        ...options,
        entryPoints: entries.map(({ source }) => join(projectFolder, source)),
        tsconfig: join(projectFolder, 'runner', 'tsconfig.build.json'),
        basePath: join(projectFolder, 'runner', 'src'),
        out,
      }),
    );
    const typedoc = join(here, 'node_modules', 'typedoc', 'bin', 'typedoc');
    const { status } = spawnSync(process.execPath, [typedoc, '--options', config], {
      cwd: here,
      stdio: ['ignore', 2, 2],
    });
    if (status !== 0) throw new Error(`TypeDoc ended with ${status}: fix the problems above first`);
    return new Map([
      ['README.md', writeIndex(entries)],
      ...entries.map((entry): [string, string] => [
        entry.page,
        writePage(entry, readFileSync(join(out, `${entry.module}.md`), 'utf8')),
      ]),
    ]);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function compare(wanted: ReadonlyMap<string, string>): string[] {
  const found = existsSync(pages) ? readdirSync(pages) : [];
  const hint = 'npm run api-docs writes it';
  return [
    ...[...wanted].flatMap(([name, text]) => {
      if (!found.includes(name)) return [`docs/library/${name} is missing: ${hint}.`];
      if (readFileSync(join(pages, name), 'utf8') === text) return [];
      return [`docs/library/${name} differs from the docstrings: ${hint}.`];
    }),
    ...found
      .filter((name) => !wanted.has(name) && !WRITTEN_BY_HAND.includes(name))
      .map((name) => `docs/library/${name} belongs to no entry point of the package.`),
  ];
}

const wanted = generate(entryPoints());
const undescribed = [...wanted].flatMap(([name, page]) => [
  ...findUndescribed(name, page),
  ...findIncomplete(name, page),
]);
if (undescribed.length > 0) throw new Error(undescribed.join('\n'));
if (process.argv.includes('--check')) {
  const problems = compare(wanted);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
} else {
  for (const [name, text] of wanted) writeFileSync(join(pages, name), text);
}
