/** The prompts of a restart are files. An owner's folder replaces any of them by a file of the same name. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `checkpoint-request` asks the full session for its state. `continuation` starts the fresh session, with that state
 * in place of `{checkpoint}`. `minimal-continuation` starts it without a state, with the original prompt in place of
 * `{task}`.
 */
export const PROMPT_NAMES = ['checkpoint-request', 'continuation', 'minimal-continuation'] as const;
/** One of `PROMPT_NAMES`. */
export type PromptName = (typeof PROMPT_NAMES)[number];
/** The texts of all prompts, by name. */
export type RestartPrompts = Readonly<Record<PromptName, string>>;

const BUILT_IN = fileURLToPath(new URL('./prompts/', import.meta.url));

/**
 * Loads the text of a prompt, trimmed.
 * @param name one of `PROMPT_NAMES`.
 * @param folder your folder of prompts; without a file `<name>.md` in it, the package's own prompt is used.
 * @throws Error if the folder does not exist, if the file is empty, or if a continuation has no `{checkpoint}`: the agent's state would be lost.
 */
export function loadPrompt(name: PromptName, folder?: string): string {
  if (!PROMPT_NAMES.includes(name)) {
    throw new RangeError(`Unknown prompt "${name}": one of ${PROMPT_NAMES.join(', ')}`);
  }
  if (folder !== undefined && !existsSync(folder)) {
    throw new Error(`The folder of prompts ${folder} does not exist`);
  }
  const own = path.join(folder ?? BUILT_IN, `${name}.md`);
  const file = existsSync(own) ? own : path.join(BUILT_IN, `${name}.md`);
  // Trimming also removes a byte order mark.
  const text = readFileSync(file, 'utf8').trim();
  if (text === '') throw new Error(`The prompt ${file} is empty`);
  if (name === 'continuation' && !text.includes('{checkpoint}')) {
    throw new Error(`The prompt ${file} has no {checkpoint}: the checkpoint would be lost`);
  }
  return text;
}

/** Loads all prompts. @throws Error as `loadPrompt` does. */
export function loadPrompts(folder?: string): RestartPrompts {
  const texts = PROMPT_NAMES.map((name) => [name, loadPrompt(name, folder)]);
  return Object.fromEntries(texts) as RestartPrompts;
}

/** The prompt of a fresh session that continues from a checkpoint. The checkpoint is inserted verbatim. */
export function buildContinuationPrompt(
  checkpoint: string,
  template: string = loadPrompt('continuation'),
): string {
  // A replacement function, so that "$&" in a checkpoint stays plain text.
  return template.replaceAll('{checkpoint}', () => checkpoint);
}

/**
 * The prompt of a fresh session that continues without a checkpoint.
 * @param task the original prompt.
 * @param template the text that contains `{task}`. Default: the package's prompt.
 */
export function buildMinimalPrompt(
  task: string,
  template: string = loadPrompt('minimal-continuation'),
): string {
  return template.replaceAll('{task}', () => task);
}
