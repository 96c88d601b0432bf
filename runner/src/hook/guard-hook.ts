/**
 * Makes sure that this process ends as a hook must: exit code 0, in time, with `{}` on standard output and nothing
 * else. Any other exit code is an error to the client, and 2 blocks the compaction.
 *
 * It owns the end of the process. The answer is written before anything is tried; what is tried afterwards can fail,
 * crash or hang and changes neither answer nor exit code.
 */
export interface HookGuard {
  /** One line for the person, on standard error. Never throws. */
  tell(line: string): void;
  /** Ends the process: exit code 0. */
  finish(line?: string): void;
}

/** From the start of the process; a client's own patience is seconds. */
const DEADLINE_MS = 1_500;
const FLUSH_MS = 100;
const MAX_TOLD_CHARACTERS = 16_000;

/** @param answers false: a person asked for a text; only the exit code is guarded. */
export function guardHook(answers: boolean): HookGuard {
  process.exitCode = 0;
  process.on('exit', () => {
    process.exitCode = 0;
  });
  let told = 0;
  let isFinishing = false;
  const tell = (line: string) => {
    told += line.length;
    if (told > MAX_TOLD_CHARACTERS) return;
    try {
      process.stderr.write(`${line}\n`);
    } catch {
      // Nobody reads it.
    }
  };
  let answered = Promise.resolve();
  const finish = (line?: string) => {
    if (isFinishing) return;
    isFinishing = true;
    if (line !== undefined) tell(line);
    const end = () => process.exit(0);
    setTimeout(end, FLUSH_MS);
    answered.then(end, end);
  };
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => finish(`ERROR barograph hook: ${messageOf(error)}`));
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => finish());
  // A reader that went away is no error, and neither is a full disk behind a redirection.
  onError(() => process.stdout);
  onError(() => process.stderr);
  if (answers) {
    answered = answer();
    setTimeout(
      () => finish('WARNING barograph hook: the work takes longer and goes on in the background'),
      Math.max(0, DEADLINE_MS - performance.now()),
    );
  }
  return { tell, finish };
}

function answer(): Promise<void> {
  return new Promise((resolve) => {
    try {
      process.stdout.write('{}', () => resolve());
    } catch {
      resolve();
    }
  });
}

function onError(stream: () => NodeJS.WriteStream): void {
  try {
    stream().on('error', () => undefined);
  } catch {
    // There is no such stream.
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
