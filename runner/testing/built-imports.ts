/** Measures what an entry point of the built package loads, for the tests of the package. */
import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';

export interface Reach {
  /** Bytes of the entry and of every chunk that the entry imports. */
  bytes: number;
  /** Names of the imported packages, without Node's own modules. */
  packages: string[];
}

/** Imports as esbuild writes them: a statement at the start of a line, or a call of `import` or `require`. */
const IMPORT =
  /^(?:import|export)\b[^'"();]*?from\s*["']([^"']+)["']|^import\s*["']([^"']+)["']|\b(?:import|require)\(\s*["']([^"']+)["']\s*\)/gm;

/**
 * Follows the imports of a built file through its chunks.
 */
export function reachOf(file: string): Reach {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const waiting = [path.resolve(file)];
  let bytes = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    const text = readFileSync(next, 'utf8');
    bytes += Buffer.byteLength(text);
    for (const [, from, bare, called] of text.matchAll(IMPORT)) {
      const name = from ?? bare ?? called ?? '';
      if (name.startsWith('.')) waiting.push(path.resolve(path.dirname(next), name));
      else if (!name.startsWith('node:') && !builtinModules.includes(name)) packages.add(name);
    }
  }
  return { bytes, packages: [...packages].sort() };
}
