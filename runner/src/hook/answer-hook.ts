/**
 * The process that the client waits for. It ends in time with exit code 0 and `{}` on standard output; exit code 2 would
 * block the compaction.
 *
 * It opens no file, because a process that waits for a dead file system cannot exit. A second process does the work and
 * may outlive this one.
 */
import { spawn } from 'node:child_process';
import { isatty } from 'node:tty';
import type { Logger } from '../logger';

/**
 * The role of a process: `answer` for the hook itself, `work` for its second process, `text` for a request for help,
 * `none` for another command.
 */
export type HookRole = 'none' | 'answer' | 'work' | 'text';

const WORK = '--work';
/** For a client that only appends to its transcripts: the copy leaves out everything written after the hook ran. */
const NO_WAIT = '--no-wait';
const TEXTS = ['--help', '-h'];

/**
 * A mistake in a client's settings must not block a compaction: `hook` may follow other options and may have unknown
 * options.
 * @param hasParent whether another Node process started this one with a channel.
 */
export function hookRole(args: readonly string[], hasParent: boolean): HookRole {
  const [first = ''] = args;
  if (first !== 'hook' && !(first.startsWith('-') && args.includes('hook'))) return 'none';
  if (first === 'hook' && args[1] === WORK && hasParent) return 'work';
  return first === 'hook' && args.some((arg) => TEXTS.includes(arg)) ? 'text' : 'answer';
}

/** @param now when the hook ran, milliseconds since the epoch */
export function workerArguments(args: readonly string[], now: number): string[] {
  return ['hook', WORK, String(now), ...args.filter((arg) => arg !== 'hook')];
}

export type HookMessage =
  | { type: 'line'; level: keyof Logger; message: string }
  /** Archiving has succeeded or failed: the client need not wait any longer. */
  | { type: 'settled' };

/** The process ends at the latest this long after its start. Clients wait several seconds. */
const DEADLINE_MS = 1_500;
const FLUSH_MS = 100;
const MAX_REPORTED_CHARACTERS = 16_000;
const LEVELS: Record<keyof Logger, string> = {
  debug: 'DEBUG',
  info: 'INFO',
  warn: 'WARNING',
  error: 'ERROR',
};

/** Write the answer, and guard the exit code from then on. @param answers false: write no answer. */
export function guardHook(answers: boolean) {
  process.exitCode = 0;
  process.on('exit', () => {
    process.exitCode = 0;
  });
  let reported = 0;
  let isFinishing = false;
  let answered = Promise.resolve();
  const report = (line: string) => {
    reported += line.length;
    if (reported <= MAX_REPORTED_CHARACTERS) attempt(() => process.stderr.write(`${line}\n`));
  };
  const finish = (line?: string) => {
    if (isFinishing) return;
    isFinishing = true;
    if (line !== undefined) report(line);
    const end = () => process.exit(0);
    setTimeout(end, FLUSH_MS);
    answered.then(end, end);
  };
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => finish(errorLine(error)));
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => finish());
  // A closed pipe or a full disk is not an error of the hook.
  attempt(() => process.stdout.on('error', () => undefined));
  attempt(() => process.stderr.on('error', () => undefined));
  if (answers) {
    answered = new Promise((resolve) => {
      if (!attempt(() => process.stdout.write('{}', () => resolve()))) resolve();
    });
    setTimeout(
      () => finish('WARNING barograph hook: archiving takes longer and continues in the background'),
      Math.max(0, DEADLINE_MS - performance.now()),
    );
  }
  return { report, finish };
}

/** Run `command` in a second process. End this process when that process has archived, or when time is up. */
export function answerHook(command: readonly string[], guard: ReturnType<typeof guardHook>): void {
  if (isatty(0)) {
    guard.finish(
      'barograph hook reads the JSON of an agent’s hook from standard input. Help: barograph hook --help',
    );
    return;
  }
  // Two processes cannot listen on the same debugger port.
  const flags = process.execArgv.filter((flag) => !flag.startsWith('--inspect'));
  // The worker inherits no output stream: the client would wait until it is closed.
  const worker = spawn(process.execPath, [...flags, ...command], {
    detached: true,
    stdio: ['inherit', 'ignore', 'pipe', 'ipc'],
    windowsHide: true,
  });
  worker.on('error', (error) => guard.finish(errorLine(error)));
  if (worker.pid !== undefined && command.includes(NO_WAIT)) guard.finish();
  worker.on('message', (message: HookMessage) => {
    if (message.type === 'line') guard.report(`${LEVELS[message.level]} ${message.message}`);
    else guard.finish();
  });
  worker.stderr?.on('data', (text: Buffer) => guard.report(text.toString().trimEnd()));
  worker.on('close', (code) => {
    guard.finish(code === 0 ? undefined : errorLine('the archiving process crashed'));
  });
}

export function errorLine(error: unknown): string {
  return `ERROR barograph hook: ${error instanceof Error ? error.message : String(error)}`;
}

function attempt(action: () => unknown): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}
