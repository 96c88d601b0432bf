/** The role of a call: `answer` is the hook, `work` its second process, `text` a person's question, `none` another command. */
export type HookRole = 'none' | 'answer' | 'work' | 'text';

const WORK = '--work';
const TEXTS = ['--help', '-h', '--settings'];

/**
 * A mistake in a client's settings must not become an exit code that blocks a compaction, so `hook` counts after
 * options too, and unknown options are accepted.
 * @param args of the command.
 * @param hasParent whether another Node process started this one with a channel.
 */
export function hookRole(args: readonly string[], hasParent: boolean): HookRole {
  const [first = ''] = args;
  if (first !== 'hook' && !(first.startsWith('-') && args.includes('hook'))) return 'none';
  if (first === 'hook' && args[1] === WORK && hasParent) return 'work';
  return first === 'hook' && args.some((arg) => TEXTS.includes(arg)) ? 'text' : 'answer';
}

export function workerArguments(args: readonly string[]): string[] {
  return ['hook', WORK, ...args.filter((arg) => arg !== 'hook')];
}
