/**
 * `npm run api-docs` writes docs/library/, one page for each entry point of the package, from the docstrings. With
 * `--check` it writes nothing and fails where the pages say something else. What is exported must have a
 * docstring, and what a signature names must be exported: each lack fails both.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finish } from '../lib/finish';
import { projectFolder } from '../lib/project-folder';
import { type EntryPoint, entryPoints, writeIndex, writePage } from './pages';

const here = join(projectFolder, 'scripts', 'api-docs');
const pages = join(projectFolder, 'docs', 'library');

/** File name → text, as TypeDoc and `pages.ts` make it. @throws Error where TypeDoc has something to object. */
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
    if (status !== 0)
      throw new Error(`TypeDoc ended with ${status}: what it says above must be mended first`);
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

/** Sentences, one for each page that is missing, surplus or differs. */
function compare(wanted: ReadonlyMap<string, string>): string[] {
  const found = existsSync(pages) ? readdirSync(pages) : [];
  const hint = 'npm run api-docs writes it';
  return [
    ...[...wanted].flatMap(([name, text]) => {
      if (!found.includes(name)) return [`docs/library/${name} is missing: ${hint}.`];
      if (readFileSync(join(pages, name), 'utf8') === text) return [];
      return [`docs/library/${name} is not what the docstrings say: ${hint}.`];
    }),
    ...found
      .filter((name) => !wanted.has(name))
      .map((name) => `docs/library/${name} belongs to no entry point of the package.`),
  ];
}

const wanted = generate(entryPoints(projectFolder));
if (process.argv.includes('--check')) {
  finish('api docs', compare(wanted));
} else {
  rmSync(pages, { recursive: true, force: true });
  mkdirSync(pages, { recursive: true });
  for (const [name, text] of wanted) writeFileSync(join(pages, name), text);
}
