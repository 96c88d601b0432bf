import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { readJson } from '../private-files';
import { processExists, startTimeOf } from '../queue/queue-lock';

const listed = z.object({ pid: z.number(), sessionId: z.string(), procStart: z.string().default('') });

/**
 * Claude Code lists its processes in files beside its projects, `sessions/<pid>.json`. A process that ends removes its
 * file first, so a file that outlives its process shows that the process was killed.
 */
export class ClientProcesses {
  readonly #alive = new Set<number>();

  /** Ids of the sessions that lost their process since the last call. A process counts only if it was seen alive. */
  takeKilled(root: string): string[] {
    const folder = join(dirname(root), 'sessions');
    const names = namesIn(folder).filter((name) => /^\d+\.json$/.test(name));
    const all = names.flatMap((name) => listed.safeParse(readJson(join(folder, name))).data ?? []);
    const alive = all.filter(
      ({ pid, procStart }) => processExists(pid) && (startTimeOf(pid) || procStart) === procStart,
    );
    for (const { pid } of alive) this.#alive.add(pid);
    const gone = all.filter((each) => !alive.includes(each) && this.#alive.delete(each.pid));
    const killed = gone.filter(({ pid }) => existsSync(join(folder, `${pid}.json`)));
    const ids = killed.map(({ sessionId }) => sessionId);
    return ids.filter((id) => !alive.some(({ sessionId }) => sessionId === id));
  }
}

/** Empty if the folder does not exist or cannot be read. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
