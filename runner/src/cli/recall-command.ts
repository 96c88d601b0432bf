import { resolve } from 'node:path';
import {
  RECALL_CHOICES,
  readRecallChoices,
  recallChoiceFor,
  writeRecallChoice,
} from '../recall/recall-settings';
import { CONFIG_OPTION, type Command, type CommandContext, UsageError } from './command';
import { configFolderFor } from './connection';

export const recallCommand: Command = {
  name: 'recall',
  summary: 'give agents a note of what a compaction dropped',
  usage: 'barograph recall [off|ask|on [FOLDER] | show TRANSCRIPT] [OPTIONS]',
  details: `Without arguments, lists the folders with a choice.

off, ask, on      whether agents in FOLDER (default: this one) and below it get a note after a compaction. ask: the agent
                  asks you before it reads the note. Default: off
show TRANSCRIPT   prints the note of the transcript's last compaction, or of its current context

\`barograph connect --recall\` adds the hooks that this needs. The note is made on this machine from the transcript,
without a server, and its secrets are masked.`,
  options: CONFIG_OPTION,
  positionals: { least: 0, most: 2 },
  run: runRecall,
};

async function runRecall({ positionals, values, out }: CommandContext): Promise<number> {
  const configFolder = configFolderFor(values);
  const [action, target] = positionals;
  if (action === undefined) {
    const choices = Object.entries(readRecallChoices(configFolder));
    for (const [folder, choice] of choices) out.line(`${choice.padEnd(4)}${folder}`);
    if (choices.length === 0) out.line('Recall is off everywhere.');
    return 0;
  }
  if (action === 'show') {
    if (target === undefined) throw new UsageError(`Missing argument: ${recallCommand.usage}`);
    const { readRecallNote } = await import('../recall/read-note');
    out.line((await readRecallNote(resolve(target)))?.text ?? 'The summary contains everything.');
    return 0;
  }
  const choice = RECALL_CHOICES.find((known) => known === action);
  if (choice === undefined) throw new UsageError(`Unknown action "${action}": ${recallCommand.usage}`);
  const folder = resolve(target ?? '.');
  writeRecallChoice(configFolder, folder, choice);
  out.line(`Recall is ${recallChoiceFor(configFolder, folder)} in ${folder}.`);
  if (choice !== 'off')
    out.line('Run `barograph connect --recall` once, if the hooks are not connected yet.');
  return 0;
}
