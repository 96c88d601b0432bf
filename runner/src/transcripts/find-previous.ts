import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readLastTime } from './read-last-time';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Path of the transcript that a `/clear` at `at` left behind. The new file does not name it, so it is
 * inferred: of the files beside it, the one whose last line is nearest before the clear, at most a day.
 * Null where there is none. It reads the end of each neighbour, which happens once per clear.
 */
export function findPrevious(path: string, at: number): string | null {
  let names: string[];
  try {
    names = readdirSync(dirname(path));
  } catch {
    return null;
  }
  let found: { path: string; at: number } | null = null;
  for (const name of names) {
    if (!name.endsWith('.jsonl') || name.startsWith('agent-') || name === basename(path)) continue;
    const neighbour = join(dirname(path), name);
    const last = readLastTime(neighbour);
    if (last === null || last > at || last < at - DAY_MS) continue;
    if (found === null || last > found.at) found = { path: neighbour, at: last };
  }
  return found?.path ?? null;
}
