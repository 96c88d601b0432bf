/**
 * The prompts of a restart are files. An owner replaces one by a file of the same name in a folder of their own;
 * prompts missing there are taken from this package.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `checkpoint-request` asks the full session for its state. `continuation` begins the fresh one, with that state
 * in place of `{checkpoint}`. `minimal-continuation` begins it where no state could be had, with the original
 * prompt in place of `{task}`.
 */
export const PROMPT_NAMES = ['checkpoint-request', 'continuation', 'minimal-continuation'] as const;
/** One of `PROMPT_NAMES`. */
export type PromptName = (typeof PROMPT_NAMES)[number];
/** The texts of all prompts, by name. */
export type RestartPrompts = Readonly<Record<PromptName, string>>;

const BUILT_IN = new URL('./prompts/', import.meta.url);
const PLACEHOLDERS: Partial<Record<PromptName, string>> = { continuation: '{checkpoint}' };

/**
 * The text of a prompt, trimmed.
 * @param folder the owner's folder; where it has no `<name>.md`, the package's own is taken.
 * @throws Error where the file is empty, or a continuation has no place for the checkpoint: what the agent wrote
 * down would be lost.
 */
export function loadPrompt(name: PromptName, folder?: string): string {
  if (!PROMPT_NAMES.includes(name)) {
    throw new RangeError(`Unknown prompt "${name}": one of ${PROMPT_NAMES.join(', ')}`);
  }
  const file = fileOf(name, folder);
  // A byte order mark at the beginning counts as a blank, too.
  const text = readFileSync(file, 'utf8').trim();
  if (text === '') throw new Error(`The prompt ${file} is empty`);
  const placeholder = PLACEHOLDERS[name];
  if (placeholder !== undefined && !text.includes(placeholder)) {
    throw new Error(`The prompt ${file} has no ${placeholder}: the checkpoint would be lost`);
  }
  return text;
}

/**
 * All prompts at once, as `loadPrompt` loads each.
 * @throws Error as `loadPrompt` does.
 */
export function loadPrompts(folder?: string): RestartPrompts {
  return {
    'checkpoint-request': loadPrompt('checkpoint-request', folder),
    continuation: loadPrompt('continuation', folder),
    'minimal-continuation': loadPrompt('minimal-continuation', folder),
  };
}

/** The prompt of a fresh session that goes on from a checkpoint. The checkpoint is inserted verbatim. */
export function buildContinuationPrompt(
  checkpoint: string,
  template: string = loadPrompt('continuation'),
): string {
  return fill(template, { checkpoint });
}

/** The prompt of a fresh session that goes on without a checkpoint. @param task the original prompt. */
export function buildMinimalPrompt(
  task: string,
  template: string = loadPrompt('minimal-continuation'),
): string {
  return fill(template, { task });
}

function fileOf(name: PromptName, folder: string | undefined): string {
  if (folder !== undefined) {
    const own = path.join(folder, `${name}.md`);
    if (existsSync(own)) return own;
  }
  return fileURLToPath(new URL(`${name}.md`, BUILT_IN));
}

/** In one pass, so that a `{checkpoint}` or `$&` within what is filled in is text like any other. */
function fill(template: string, values: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (place, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? place) : place,
  );
}
