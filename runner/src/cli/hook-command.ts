import { CONFIG_OPTION, CONNECTION_OPTIONS, type Command, UPLOAD_OPTIONS } from './command';

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

\`barograph connect\` writes this command into the agents' settings.

Archives contain whole conversations, including secrets. They are uploaded to a server on this machine, and to any
other server only with --upload-archives on. \`barograph archives\` lists and prunes them.`,
  options: {
    'no-wait': { type: 'boolean', help: 'answer at once and work in the background' },
    ...CONFIG_OPTION,
    project: { type: 'string', value: 'NAME', help: 'project of the session (BAROGRAPH_PROJECT)' },
    ...CONNECTION_OPTIONS,
    ...UPLOAD_OPTIONS,
  },
  positionals: { least: 0, most: Number.POSITIVE_INFINITY },
  // Only a request for help gets here: main.ts answers every hook.
  run: () => Promise.resolve(0),
};
