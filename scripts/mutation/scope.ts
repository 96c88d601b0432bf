/** What `npm run mutation` mutates, and the tests that must notice: those of the same place and no others. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { listFiles } from '../lib/list-files';

export interface Group {
  /** Files and folders. */
  sources: string[];
  /** Pattern of the test files. */
  tests: string;
}

const groups: readonly Group[] = [
  {
    sources: ['core/accounting', 'core/identity', 'core/forecast/plain-rate.ts'],
    tests: 'core/{accounting,explain,forecast,identity,vectors}/**/*.test.ts',
  },
  { sources: ['runner/src/usage'], tests: 'runner/src/usage/**/*.test.ts' },
  { sources: ['runner/src/tracker'], tests: 'runner/src/tracker/**/*.test.ts' },
  // Of the two that talk to others, what reads and decides; their conversations are shown by whole runs.
  {
    sources: ['extract-checkpoint', 'prompt-too-long', 'prompts', 'read-agent-message'].map(
      (name) => `runner/src/restart/${name}.ts`,
    ),
    tests: 'runner/src/restart/**/*.test.ts',
  },
  {
    sources: ['context-snapshot', 'estimate-tokens', 'read-usage'].map(
      (name) => `runner/src/openai/${name}.ts`,
    ),
    tests: 'runner/src/openai/**/*.test.ts',
  },
];

/** A helper of tests: nothing of the product runs in it. */
const helpers = ['core/accounting/arbitrary-items.fixture.ts'];

/**
 * The files that are mutated, relative to `root`, by the tests they belong to.
 * @param wanted files and folders; none: everything.
 * @throws Error for one that holds nothing that is mutated.
 */
export function filesToMutate(root: string, wanted: readonly string[]): { files: string[]; tests: string }[] {
  const idle = new Set(wanted);
  const chosen = groups.map(({ sources, tests }) => {
    const all = sources
      .filter((path) => existsSync(join(root, path)))
      .flatMap((path) => sourcesOf(root, path));
    const files = all.filter((file) => {
      const by = wanted.filter((path) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`));
      for (const path of by) idle.delete(path);
      return wanted.length === 0 || by.length > 0;
    });
    return { files, tests };
  });
  for (const path of idle)
    throw new Error(`${path} holds nothing that is mutated: see scripts/mutation/scope.ts`);
  return chosen.filter(({ files }) => files.length > 0);
}

function sourcesOf(root: string, path: string): string[] {
  const files = statSync(join(root, path)).isDirectory() ? listFiles(root, path) : [path];
  return files.filter(
    (file) =>
      file.endsWith('.ts') &&
      !file.endsWith('.test.ts') &&
      !/testing/.test(file) &&
      !helpers.includes(file) &&
      hasCode(join(root, file)),
  );
}

/** Of types, and of names that are handed on, nothing can be broken. */
function hasCode(path: string): boolean {
  const { code } = transformSync(readFileSync(path, 'utf8'), { loader: 'ts' });
  return /[^\s]/.test(code.replace(/\/\*[\s\S]*?\*\/|^(import|export)\s*\{[^}]*\}.*;$/gm, ''));
}
