import { HOOK_EVENTS } from '../archive/read-hook-input';
import { hookVariables } from '../settings';
import {
  CONFIG_OPTION,
  CONNECTION_OPTIONS,
  type Command,
  type Output,
  UPLOAD_OPTIONS,
  type Values,
} from './command';

/** Seconds that the client waits. The hook answers within two seconds. */
const TIMEOUT_SECONDS = 10;

export const hookCommand: Command = {
  name: 'hook',
  summary: 'archive the transcript before a compaction, report starts and ends (hooks of Claude Code)',
  usage: 'barograph hook [OPTIONS]',
  details: `Reads the JSON of an agent's hook from standard input. Before a compaction (PreCompact) it copies the agent's
transcript to
CONFIG/runs/<repository>/archives/<session>_<UTC time>_transcript<ext>, readable only by you. It reports the archive to
the server, now or with the next command. CONFIG is --config-dir, else BAROGRAPH_CONFIG_DIR, else
$XDG_CONFIG_HOME/barograph or ~/.config/barograph. CONFIG/runs/index.jsonl lists all archives.

It never blocks a compaction: whatever fails, it answers {} with exit code 0 within two seconds. Longer work continues
in the background; with --no-wait, for clients that only append to their transcripts, all work does. PostCompact completes the archive; SessionStart and SessionEnd are reported as events of the session.
It also answers other events, and ignores them.

For Claude Code, add what \`barograph hook --settings\` prints to ~/.claude/settings.json. It has these four hooks, the
paths and the data folder of this machine, and the given options.

Archives contain whole conversations, including secrets. They are uploaded to a server on this machine, and to any
other server only with --upload-archives on. \`barograph archives\` lists and prunes them.`,
  options: {
    settings: { type: 'boolean', help: 'print the entry for the settings of Claude Code' },
    'no-wait': { type: 'boolean', help: 'answer at once and work in the background' },
    ...CONFIG_OPTION,
    project: { type: 'string', value: 'NAME', help: 'project of the session (BAROGRAPH_PROJECT)' },
    ...CONNECTION_OPTIONS,
    ...UPLOAD_OPTIONS,
  },
  positionals: { least: 0, most: Number.POSITIVE_INFINITY },
  // Without --settings, main.ts has answered already.
  run: ({ out, values }) => {
    printSettings(out, values, process.execPath, process.argv[1] ?? 'barograph');
    return Promise.resolve(0);
  },
};

/** A client may run the hook without the variables of this shell, so the command contains all paths and settings. */
function printSettings(out: Output, values: Values, node: string, entry: string): void {
  const options = Object.entries(values).flatMap(([name, value]) =>
    typeof value === 'string' ? [`--${name}`, value] : [],
  );
  const { variables, withoutToken } = hookVariables(values);
  const hooks = HOOK_EVENTS.map((event) => {
    const words = [...variables, node, entry, 'hook', '--no-wait', ...options].map(quote);
    const hook = { type: 'command', command: `${words.join(' ')} || true`, timeout: TIMEOUT_SECONDS };
    return [event, [{ hooks: [hook] }]] as const;
  });
  out.line(JSON.stringify({ hooks: Object.fromEntries(hooks) }, null, 2));
  if (withoutToken)
    out.problem('BAROGRAPH_TOKEN is a secret and not printed. Give the hook this variable or --token.');
  if (/[\\/]_npx[\\/]/.test(entry)) {
    out.problem(
      'This copy belongs to the npx cache, which may be cleared: run npm install -g barograph first.',
    );
  }
}

/** Quote for a POSIX shell, in which clients run hooks. */
function quote(text: string): string {
  const [name = ''] = /^[A-Z_]+=/.exec(text) ?? [];
  const rest = text.slice(name.length);
  return name + (/^[\w@%+=:,./-]+$/.test(rest) ? rest : `'${rest.replaceAll("'", `'\\''`)}'`);
}
