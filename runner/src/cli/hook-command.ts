import { CONFIG_OPTION, CONNECTION_OPTIONS, type Command, UPLOAD_OPTIONS } from './command';

export const hookCommand: Command = {
  name: 'hook',
  summary: 'run as a hook of an agent: archive the transcript before a compaction, report starts and ends',
  usage: 'barograph hook [OPTIONS]',
  details: `Reads the JSON of an agent's hook from standard input.

PreCompact            copies the transcript, and reports the archive to the server at once or with the next command
PostCompact           adds the outcome of the compaction to the archive
SessionStart, SessionEnd   reports an event of the session
Other events          are answered and ignored

The copy is CONFIG/runs/<repository>/archives/<session>_<UTC time>_transcript<ext>. Only you can read it. CONFIG is
--config-dir, else BAROGRAPH_CONFIG_DIR, else $XDG_CONFIG_HOME/barograph or ~/.config/barograph.
CONFIG/runs/index.jsonl lists all archives.

The command never blocks a compaction: it answers {} with exit code 0 within two seconds, even after an error. Longer
work continues in the background. With --no-wait, the command answers before it does anything else.

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
