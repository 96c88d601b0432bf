/** What `npm run mutation` mutates: the rules of accounting, and the parts of the library that follow them. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from '../lib/list-files';

const scope = [
  'core/accounting',
  'core/identity',
  'core/forecast/plain-rate.ts',
  'runner/src/openai',
  'runner/src/restart',
  'runner/src/tracker',
  'runner/src/usage',
];

/** Helpers of tests: nothing of the product runs in them. */
const helpers = ['core/accounting/arbitrary-items.ts', 'core/accounting/fold-testing.ts'];

/**
 * The files that are mutated, relative to `root`.
 * @param wanted files and folders out of the scope; none: all of it.
 * @throws Error for one that is not there or holds nothing of the scope.
 */
export function filesToMutate(root: string, wanted: readonly string[]): string[] {
  const all = scope.filter((path) => existsSync(join(root, path))).flatMap((path) => sourcesOf(root, path));
  if (wanted.length === 0) return all;
  const chosen = wanted.flatMap((path) => {
    const own = all.filter((file) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`));
    if (own.length === 0)
      throw new Error(`${path} holds nothing that is mutated; see scripts/mutation/scope.ts`);
    return own;
  });
  return [...new Set(chosen)];
}

function sourcesOf(root: string, path: string): string[] {
  const files = statSync(join(root, path)).isDirectory() ? listFiles(root, path) : [path];
  return files.filter(
    (file) =>
      file.endsWith('.ts') &&
      !file.endsWith('.test.ts') &&
      !/\btesting\b/.test(file) &&
      !helpers.includes(file),
  );
}
