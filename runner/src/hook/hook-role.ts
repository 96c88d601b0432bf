/**
 * What a call of the command has to do with the hook. `answer`: it is the hook. `work`: it is the process the hook
 * started. `text`: a person asks about it. `none`: nothing.
 */
export type HookRole = 'none' | 'answer' | 'work' | 'text';

const WORK = '--work';
const TEXTS = ['--help', '-h', '--settings'];

/**
 * In a client's settings a mistake must not become an exit code that blocks a compaction, so `hook` after options
 * counts, too, and so does any option behind it.
 * @param args of the command.
 * @param hasParent whether another Node process started this one with a channel.
 */
export function hookRole(args: readonly string[], hasParent: boolean): HookRole {
  const [first = ''] = args;
  if (first !== 'hook' && !(first.startsWith('-') && args.includes('hook'))) return 'none';
  if (first === 'hook' && args[1] === WORK && hasParent) return 'work';
  return first === 'hook' && args.some((arg) => TEXTS.includes(arg)) ? 'text' : 'answer';
}

/** What the hook calls itself with, to work on what it was asked. */
export function workerArguments(args: readonly string[]): string[] {
  return ['hook', WORK, ...args.filter((arg) => arg !== 'hook')];
}
