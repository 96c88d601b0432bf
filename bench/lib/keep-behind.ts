import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const LOOK_MS = 250;

/**
 * Lower the priority of processes and their children until the returned function is called, so that server, database and
 * fleet do not take the processor from the measured page.
 *
 * Linux divides the processor between sessions first (sched(7), autogroup), and each Postgres process leads a session, so
 * the priority of those sessions is lowered too.
 */
export function keepBehind(pids: readonly (number | undefined)[]): () => void {
  const settled = new Set<number>();
  const look = () => {
    for (const pid of pids.flatMap((root) => (root === undefined ? [] : familyOf(root)))) {
      if (!settled.has(pid) && putBehind(pid)) settled.add(pid);
    }
  };
  look();
  const timer = setInterval(look, LOOK_MS).unref();
  return () => clearInterval(timer);
}

/** Returns false if the change must be retried: Linux limits how often an ordinary user changes a priority. */
function putBehind(pid: number): boolean {
  try {
    for (const thread of listed(`/proc/${pid}/task`)) setPriority(thread, constants.priority.PRIORITY_LOW);
    if (leadsSession(pid)) {
      writeFileSync(`/proc/${pid}/autogroup`, String(constants.priority.PRIORITY_LOW));
    }
    return true;
  } catch (error) {
    // The process ended, or the system has no session priorities. A retry would not help.
    return !(error instanceof Error && 'code' in error && error.code === 'EAGAIN');
  }
}

/** The process and its descendants. */
export function familyOf(pid: number): number[] {
  const children = listed(`/proc/${pid}/task`).flatMap((thread) => {
    const file = `/proc/${pid}/task/${thread}/children`;
    return existsSync(file) ? readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number) : [];
  });
  return [pid, ...children.flatMap(familyOf)];
}

function leadsSession(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The fields after the name (which may contain any character): state, parent, group, session.
  const session = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3];
  return Number(session) === pid;
}

function listed(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number);
  } catch {
    return [];
  }
}
