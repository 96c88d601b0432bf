import {
  CONNECTION_OPTIONS,
  type Command,
  type CommandContext,
  UPLOAD_OPTIONS,
  UsageError,
} from '../command';
import { listCommand } from './list-archives';
import { pruneCommand } from './prune-archives';
import { uploadCommand } from './upload-command';
import { verifyCommand } from './verify-archives';

const ACTIONS: Readonly<Record<string, (context: CommandContext) => Promise<number>>> = {
  list: listCommand,
  upload: uploadCommand,
  verify: verifyCommand,
  prune: pruneCommand,
};

/** Which options belong to which actions; the others belong to all. */
const OWN_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  again: ['upload'],
  'timeout-seconds': ['upload'],
  'older-than': ['prune'],
  uploaded: ['prune'],
  yes: ['prune'],
  force: ['prune'],
  json: ['list', 'verify'],
  wide: ['list'],
};

export const archivesCommand: Command = {
  name: 'archives',
  summary: 'list, upload, verify and prune archived transcripts',
  usage: 'barograph archives [list|upload|verify|prune] [OPTIONS]',
  details: `  list     what was archived on this machine, skipped and failed, newest first (the default)
  upload   hands over what is pending, and goes on where it broke off; --again also what was refused
  verify   reads each copy through and holds it against its hash, and asks the server whether it has what it was given
  prune    removes copies on this machine: those --older-than a time, those --uploaded, or both. It shows what it would
           remove; --yes removes it. What is not whole on the server stays, unless --force says otherwise

0 all well, 1 something is not, 2 called wrongly, 130 interrupted.`,
  options: {
    json: { type: 'boolean', help: 'list, verify: a JSON array instead of a table' },
    wide: { type: 'boolean', help: 'list: nothing cut to the width of the terminal' },
    session: { type: 'string', value: 'KEY', help: 'only of this session: its key, or the client’s own id' },
    again: { type: 'boolean', help: 'upload: also what was refused' },
    'older-than': { type: 'string', value: 'AGE', help: 'prune: made longer ago, as in 12h, 30d, 8w' },
    uploaded: { type: 'boolean', help: 'prune: handed over' },
    yes: { type: 'boolean', help: 'prune: remove them' },
    force: { type: 'boolean', help: 'prune: also what no server has, or is no longer what was archived' },
    'timeout-seconds': {
      type: 'string',
      value: 'N',
      help: 'upload: how long a step is tried again (default 60)',
    },
    'config-dir': {
      type: 'string',
      value: 'DIR',
      help: 'where archives lie, in runs/ (BAROGRAPH_CONFIG_DIR)',
    },
    ...CONNECTION_OPTIONS,
    ...UPLOAD_OPTIONS,
    project: { type: 'string', value: 'NAME', help: 'project all sessions join (BAROGRAPH_PROJECT)' },
    'no-content': { type: 'boolean', help: 'hand nothing over (BAROGRAPH_CONTENT=off)' },
  },
  positionals: { least: 0, most: 1 },
  run(context) {
    const [name = 'list'] = context.positionals;
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (action === undefined) {
      throw new UsageError(`barograph archives knows ${Object.keys(ACTIONS).join(', ')}, and not "${name}".`);
    }
    for (const [option, actions] of Object.entries(OWN_OPTIONS)) {
      if (context.values[option] === undefined || actions.includes(name)) continue;
      throw new UsageError(`--${option} belongs to barograph archives ${actions.join(' and ')}.`);
    }
    return action(context);
  },
};
