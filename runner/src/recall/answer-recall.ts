/** The program of the hooks that give an agent its recall note. Where recall is off, it loads almost nothing. */
import type { Readable } from 'node:stream';
import { asFields, asText } from '../../../core/agents/fields';
import { readHookJson } from '../hook/read-hook-json';
import { readConfigFolder } from '../settings';
import { recallChoiceFor } from './recall-settings';

/** The hook's answer; null: none. @throws what the file system throws */
export async function answerRecall(stream: Readable, now: number): Promise<object | null> {
  const json = await readHookJson(stream);
  if (!json.ok) return null;
  const configFolder = readConfigFolder();
  const choice = recallChoiceFor(configFolder, asText(asFields(json.value)?.cwd) ?? '.');
  if (choice === 'off') return null;
  const { answerRecallEvent } = await import('./answer-event');
  return answerRecallEvent({ value: json.value, choice, configFolder, now });
}
