/** Which texts of Barograph agents get, per project folder. The settings are local: a hook reads them without a server. */
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { asFields } from '../../../core/agents/fields';
import { readJson, replaceFile } from '../private-files';

/** `ask`: the agent learns that a note exists, and asks the user before it reads the note. */
export const RECALL_CHOICES = ['off', 'ask', 'on'] as const;
export type RecallChoice = (typeof RECALL_CHOICES)[number];
/** Turns before a compaction at which the agent is warned. */
export type WarningChoice = number | 'off';

const MAX_TURNS = 1_000;

/** A setting per folder, in its own file. A folder without a value has the value of its nearest parent. */
export interface FolderSetting<Value> {
  file: string;
  isValue(value: unknown): value is Value;
  unset: Value;
}

export const RECALL: FolderSetting<RecallChoice> = {
  file: 'recall.json',
  isValue: (value): value is RecallChoice => RECALL_CHOICES.some((known) => known === value),
  unset: 'off',
};
export const WARNING: FolderSetting<WarningChoice> = {
  file: 'warnings.json',
  isValue: (value): value is WarningChoice =>
    value === 'off' || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_TURNS),
  unset: 'off',
};

/** Whether operators may send messages to agents. */
export const SAY: FolderSetting<'on' | 'off'> = {
  file: 'messages.json',
  isValue: (value) => value === 'on' || value === 'off',
  unset: 'off',
};

/** The value of each folder that has one. */
export function readChoices<Value>(
  { file, isValue }: FolderSetting<Value>,
  configFolder: string,
): Record<string, Value> {
  const choices = Object.entries(asFields(readJson(join(configFolder, file))) ?? {});
  return Object.fromEntries(choices.filter((choice): choice is [string, Value & {}] => isValue(choice[1])));
}

/** The value of the folder, or of its nearest parent with a value. */
export function choiceFor<Value>(setting: FolderSetting<Value>, configFolder: string, folder: string): Value {
  const choices = readChoices(setting, configFolder);
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (Object.hasOwn(choices, at)) return choices[at] ?? setting.unset;
    if (at === dirname(at)) return setting.unset;
  }
}

/** @throws what the file system throws */
export function writeChoice<Value>(
  setting: FolderSetting<Value>,
  configFolder: string,
  folder: string,
  choice: Value,
): void {
  mkdirSync(configFolder, { recursive: true, mode: 0o700 });
  const choices = { ...readChoices(setting, configFolder), [resolve(folder)]: choice };
  replaceFile(join(configFolder, setting.file), `${JSON.stringify(choices, null, 2)}\n`);
}
