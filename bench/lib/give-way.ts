import { existsSync, readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/**
 * Puts a process behind those of normal priority. What a fleet page's own machine would never run, the server, its
 * database and ten thousand sessions, must not take its processor: what is measured is the page.
 */
export function giveWay(pid: number | undefined): void {
  if (pid === undefined) return;
  setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  // Linux counts each thread by itself.
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return;
  for (const thread of readdirSync(threads)) {
    setPriority(Number(thread), constants.priority.PRIORITY_BELOW_NORMAL);
  }
}
