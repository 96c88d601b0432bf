/** What a person wrote, without the texts that a client adds in the person's name. */
import type { ReadEntry } from './entry';

/** Tags, notes in brackets and caveats are the client's own. */
const BY_CLIENT = /^(<[a-z][a-z_-]*>|Caveat:|\[Request interrupted|# AGENTS\.md instructions)/;
const COMMAND = /<command-name>\s*(.+?)\s*<\/command-name>/;
const ARGUMENTS = /<command-args>\s*([\s\S]+?)\s*<\/command-args>/;
/** In the result of a tool call that the person refused, the text after this mark is the person's. */
const REFUSED = /the user said:\n([\s\S]+?)(?:\n\nNote: |$)/;

/** The person's text of a prompt; a command as `/name arguments`. Null: the client wrote it, or it has no arguments. */
export function humanText(prompt: string): string | null {
  const text = prompt.trim();
  const name = COMMAND.exec(text)?.[1];
  const args = ARGUMENTS.exec(text)?.[1];
  if (name !== undefined && args !== undefined) return `${name} ${args}`;
  return text === '' || BY_CLIENT.test(text) ? null : text;
}

/** What a person wrote in this entry of the main chain. Null: nothing. */
export function humanTextOf({ kind, isMeta, blocks }: ReadEntry): string | null {
  if (isMeta || (kind !== 'user' && kind !== 'tool_result')) return null;
  const texts = blocks.flatMap((block) => {
    if (block.type === 'text') return humanText(block.text) ?? [];
    if (block.type !== 'tool_result' || !block.isError) return [];
    return block.content.flatMap((part) => (part.type === 'text' && REFUSED.exec(part.text)?.[1]) || []);
  });
  return texts.length === 0 ? null : texts.join('\n\n');
}
