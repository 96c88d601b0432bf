import { CONNECTION_OPTIONS, type Command, type Output, UPLOAD_OPTIONS } from './command';

/** Seconds the client waits; the hook itself answers within two. */
const TIMEOUT_SECONDS = 10;

export const hookCommand: Command = {
  name: 'hook',
  summary: 'archive the transcript before a compaction (a PreCompact hook)',
  usage: 'barograph hook [OPTIONS]',
  details: `For the settings of an agent's client: reads the JSON of its PreCompact hook from standard input, copies the
transcript it names to CONFIG/runs/<repository>/archives/<session>_<UTC time>_transcript<ext>, which only you can
read, and tells the server, now or when it answers again. CONFIG is BAROGRAPH_CONFIG_DIR, else
$XDG_CONFIG_HOME/barograph or ~/.config/barograph; every archive is a line of CONFIG/runs/index.jsonl.

It never stands in a compaction's way: it answers {} with exit code 0 within two seconds, whatever fails; what takes
longer goes on in the background. Other events than PreCompact are answered and left alone.

For Claude Code, into ~/.claude/settings.json (\`barograph hook --settings\` prints it with the paths of this machine):

  {"hooks": {"PreCompact": [{"hooks": [{"type": "command", "command": "barograph hook || true", "timeout": ${TIMEOUT_SECONDS}}]}]}}

Archives hold whole conversations, and whatever secrets came up in them. A server on this machine gets them, any other
only with --upload-archives on. \`barograph archives\` lists them, and prunes copies that a server has.`,
  options: {
    settings: { type: 'boolean', help: 'print what belongs into the settings of Claude Code' },
    'config-dir': {
      type: 'string',
      value: 'DIR',
      help: 'where archives lie, in runs/ (BAROGRAPH_CONFIG_DIR)',
    },
    project: { type: 'string', value: 'NAME', help: 'project the session joins (BAROGRAPH_PROJECT)' },
    ...CONNECTION_OPTIONS,
    ...UPLOAD_OPTIONS,
  },
  positionals: { least: 0, most: Number.POSITIVE_INFINITY },
  // Without --settings the entry of the command has answered before any command is loaded.
  run: ({ out }) => {
    printSettings(out, process.execPath, process.argv[1] ?? 'barograph');
    return Promise.resolve(0);
  },
};

/** With whole paths: a hook may find another PATH than the shell one types in. */
function printSettings(out: Output, node: string, entry: string): void {
  const command = `${quote(node)} ${quote(entry)} hook || true`;
  const hook = { type: 'command', command, timeout: TIMEOUT_SECONDS };
  out.line(JSON.stringify({ hooks: { PreCompact: [{ hooks: [hook] }] } }, null, 2));
  if (/[\\/]_npx[\\/]/.test(entry)) {
    out.problem('This copy belongs to npx and may be gone tomorrow: npm install -g barograph first.');
  }
}

/** For a POSIX shell, which is what clients run their hooks with. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
