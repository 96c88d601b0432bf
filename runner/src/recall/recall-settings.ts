/** Whether an agent gets recall notes, per project folder. The setting is local: the hook reads it without a server. */
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { asFields } from '../../../core/agents/fields';
import { readJson, replaceFile } from '../private-files';

/** `ask`: the agent learns that a note exists, and asks the user before it reads the note. */
export const RECALL_CHOICES = ['off', 'ask', 'on'] as const;
export type RecallChoice = (typeof RECALL_CHOICES)[number];

const fileIn = (configFolder: string) => join(configFolder, 'recall.json');

/** The choice for each folder that has one. */
export function readRecallChoices(configFolder: string): Record<string, RecallChoice> {
  const choices = Object.entries(asFields(readJson(fileIn(configFolder))) ?? {});
  return Object.fromEntries(
    choices.filter((choice): choice is [string, RecallChoice] =>
      RECALL_CHOICES.some((known) => known === choice[1]),
    ),
  );
}

/** The choice of the folder, or of its nearest parent with a choice. Default: `off`. */
export function recallChoiceFor(configFolder: string, folder: string): RecallChoice {
  const choices = readRecallChoices(configFolder);
  for (let at = resolve(folder); ; at = dirname(at)) {
    const choice = Object.hasOwn(choices, at) ? choices[at] : undefined;
    if (choice !== undefined) return choice;
    if (at === dirname(at)) return 'off';
  }
}

/** @throws what the file system throws */
export function writeRecallChoice(configFolder: string, folder: string, choice: RecallChoice): void {
  mkdirSync(configFolder, { recursive: true, mode: 0o700 });
  const choices = { ...readRecallChoices(configFolder), [resolve(folder)]: choice };
  replaceFile(fileIn(configFolder), `${JSON.stringify(choices, null, 2)}\n`);
}
