import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { readJson } from '../private-files';
import { processExists, startTimeOf } from '../queue/queue-lock';

const listed = z.object({ pid: z.number(), sessionId: z.string(), procStart: z.string().default('') });

/**
 * Claude Code lists its processes in files beside its projects, `sessions/<pid>.json`. A process that ends removes its
 * file first, so a file that outlives its process shows that the process was killed.
 */
export class ClientProcesses {
  /** Files of processes that were seen alive. Files in two folders may have the same process id. */
  readonly #alive = new Set<string>();

  /** Ids of the sessions that lost their process since the last call. A process counts only if it was seen alive. */
  takeKilled(root: string): string[] {
    const folder = join(dirname(root), 'sessions');
    const files = namesIn(folder).flatMap((name) => (/^\d+\.json$/.test(name) ? join(folder, name) : []));
    const all = files.flatMap((file) => {
      const { data } = listed.safeParse(readJson(file));
      return data === undefined ? [] : { ...data, file };
    });
    const alive = all.filter(
      ({ pid, procStart }) => processExists(pid) && (startTimeOf(pid) || procStart) === procStart,
    );
    for (const { file } of alive) this.#alive.add(file);
    const gone = all.filter((each) => !alive.includes(each) && this.#alive.delete(each.file));
    const killed = gone.filter(({ file }) => existsSync(file));
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
