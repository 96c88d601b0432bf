import { CONFIG_OPTION, CONNECTION_OPTIONS, type Command, type Output, UPLOAD_OPTIONS } from './command';

/** Seconds that the client waits. The hook answers within two seconds. */
const TIMEOUT_SECONDS = 10;

export const hookCommand: Command = {
  name: 'hook',
  summary: 'archive the transcript before a compaction (a PreCompact hook)',
  usage: 'barograph hook [OPTIONS]',
  details: `Reads the JSON of an agent's PreCompact hook from standard input, and copies the agent's transcript to
CONFIG/runs/<repository>/archives/<session>_<UTC time>_transcript<ext>, readable only by you. It reports the archive to
the server, now or with the next command. CONFIG is --config-dir, else BAROGRAPH_CONFIG_DIR, else
$XDG_CONFIG_HOME/barograph or ~/.config/barograph. CONFIG/runs/index.jsonl lists all archives.

It never blocks a compaction: whatever fails, it answers {} with exit code 0 within two seconds. Longer work continues
in the background. It also answers other events, and ignores them.

For Claude Code, add to ~/.claude/settings.json (\`barograph hook --settings\` prints it with the paths of this machine):

  {"hooks": {"PreCompact": [{"hooks": [{"type": "command", "command": "barograph hook || true", "timeout": ${TIMEOUT_SECONDS}}]}]}}

Archives contain whole conversations, including secrets. They are uploaded to a server on this machine, and to any
other server only with --upload-archives on. \`barograph archives\` lists and prunes them.`,
  options: {
    settings: { type: 'boolean', help: 'print the entry for the settings of Claude Code' },
    ...CONFIG_OPTION,
    project: { type: 'string', value: 'NAME', help: 'project of the session (BAROGRAPH_PROJECT)' },
    ...CONNECTION_OPTIONS,
    ...UPLOAD_OPTIONS,
  },
  positionals: { least: 0, most: Number.POSITIVE_INFINITY },
  // Without --settings, main.ts has answered already.
  run: ({ out }) => {
    printSettings(out, process.execPath, process.argv[1] ?? 'barograph');
    return Promise.resolve(0);
  },
};

/** The paths are absolute, because a hook may have another PATH. */
function printSettings(out: Output, node: string, entry: string): void {
  const command = `${quote(node)} ${quote(entry)} hook || true`;
  const hook = { type: 'command', command, timeout: TIMEOUT_SECONDS };
  out.line(JSON.stringify({ hooks: { PreCompact: [{ hooks: [hook] }] } }, null, 2));
  if (/[\\/]_npx[\\/]/.test(entry)) {
    out.problem(
      'This copy belongs to the npx cache, which may be cleared: run npm install -g barograph first.',
    );
  }
}

/** Quote for a POSIX shell, in which clients run hooks. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
