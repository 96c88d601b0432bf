import { resolve } from 'node:path';
import {
  choiceFor,
  RECALL,
  RECALL_CHOICES,
  readChoices,
  SAY,
  WARNING,
  writeChoice,
} from '../recall/recall-settings';
import { CONFIG_OPTION, type Command, type CommandContext, UsageError } from './command';
import { configFolderFor } from './connection';

export const recallCommand: Command = {
  name: 'recall',
  summary: 'give agents recall notes, warnings before a compaction, and operator messages',
  usage:
    'barograph recall [off|ask|on [FOLDER] | warn TURNS|off [FOLDER] | say on|off [FOLDER] | show TRANSCRIPT] [OPTIONS]',
  details: `Without arguments, lists the folders with a choice. FOLDER is this folder by default; a choice also applies below it.

off, ask, on      whether agents get a note after a compaction. ask: the agent asks you before it reads the note.
                  Default: off
warn TURNS        warn agents once per context, when at most TURNS turns are left until the expected compaction.
                  Default: off
say on|off        whether operators may send messages to Claude Code with the command \`say\`.
                  Default: off
show TRANSCRIPT   prints the note of the transcript's last compaction, or of its current context

\`barograph connect --recall --warn\` adds the hooks; those of --warn also deliver messages. Notes and warnings are made
on this machine from the transcript, without a server, and secrets are masked.`,
  options: CONFIG_OPTION,
  positionals: { least: 0, most: 3 },
  run: runRecall,
};

async function runRecall({ positionals, values, out }: CommandContext): Promise<number> {
  const configFolder = configFolderFor(values);
  const [action, ...rest] = positionals;
  if (action === undefined) {
    const listed = [
      ...Object.entries(readChoices(RECALL, configFolder)),
      ...Object.entries(readChoices(WARNING, configFolder)).map(([folder, turns]) => [
        folder,
        `warn ${turns}`,
      ]),
      ...Object.entries(readChoices(SAY, configFolder)).map(([folder, choice]) => [folder, `say ${choice}`]),
    ];
    for (const [folder = '', choice = ''] of listed) out.line(`${choice.padEnd(10)}${folder}`);
    if (listed.length === 0) out.line('Recall is off everywhere.');
    return 0;
  }
  const [first] = rest;
  if (action === 'show') {
    if (first === undefined) throw new UsageError(`Missing argument: ${recallCommand.usage}`);
    const { readRecallNote } = await import('../recall/read-note');
    out.line((await readRecallNote(resolve(first)))?.text ?? 'The summary contains everything.');
    return 0;
  }
  const isNamed = action === 'warn' || action === 'say';
  const folder = resolve(rest[isNamed ? 1 : 0] ?? '.');
  if (rest.length > (isNamed ? 2 : 1)) throw new UsageError(`Unexpected argument: ${recallCommand.usage}`);
  if (action === 'warn') {
    const turns = first === 'off' ? first : Number(first);
    if (!WARNING.isValue(turns))
      throw new UsageError(`warn takes a number of turns from 1 to 1000 or off, not "${first ?? ''}".`);
    writeChoice(WARNING, configFolder, folder, turns);
    out.line(
      turns === 'off'
        ? `Warnings are off in ${folder}.`
        : `Agents in ${folder} are warned ${turns} turns before a compaction.`,
    );
  } else if (action === 'say') {
    if (!SAY.isValue(first)) throw new UsageError(`say takes on or off, not "${first ?? ''}".`);
    writeChoice(SAY, configFolder, folder, first);
    out.line(`Operator messages are ${first} in ${folder}.`);
  } else {
    const choice = RECALL_CHOICES.find((known) => known === action);
    if (choice === undefined) throw new UsageError(`Unknown action "${action}": ${recallCommand.usage}`);
    writeChoice(RECALL, configFolder, folder, choice);
    out.line(`Recall is ${choiceFor(RECALL, configFolder, folder)} in ${folder}.`);
  }
  const option = isNamed ? '--warn' : '--recall';
  if (first !== 'off' && action !== 'off')
    out.line(`Run \`barograph connect ${option}\` once, if the hooks are not connected yet.`);
  return 0;
}
