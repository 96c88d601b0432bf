/**
 * The process that the client waits for. It touches no file itself: a system call on a dead file system cannot be
 * interrupted, and a process that is stuck in one cannot even end. The work is another process's, which goes on when
 * this one has ended.
 */
import { spawn } from 'node:child_process';
import { isatty } from 'node:tty';
import type { HookGuard } from './guard-hook';
import { formatLine, type HookMessage } from './hook-message';

/**
 * Starts the work on the hook's input, and ends this process when it is done or when time is up.
 * @param command path of the command's entry, and the arguments that make it the working one.
 */
export function answerHook(command: readonly string[], guard: HookGuard): void {
  if (isatty(0)) {
    guard.finish(
      'barograph hook reads the JSON of an agent’s hook from standard input. See: barograph hook --help',
    );
    return;
  }
  const worker = spawn(
    process.execPath,
    [...process.execArgv.filter(isShareable), ...command],
    // Of this process's streams the worker keeps none but its input: whoever reads the others would wait for it.
    { detached: true, stdio: ['inherit', 'ignore', 'pipe', 'ipc'], windowsHide: true },
  );
  worker.on('error', (error) => guard.finish(`ERROR barograph hook: ${error.message}`));
  worker.on('message', (message: HookMessage) => {
    if (message.type === 'line') guard.tell(formatLine(message.level, message.message));
    else guard.finish();
  });
  worker.stderr?.on('data', (text: Buffer) => guard.tell(text.toString().trimEnd()));
  worker.on('close', (code) => {
    guard.finish(code === 0 ? undefined : 'ERROR barograph hook: the process that archives died');
  });
}

/** A second process cannot listen where a debugger listens to the first. */
function isShareable(flag: string): boolean {
  return !flag.startsWith('--inspect');
}
