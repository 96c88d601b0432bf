/** What a person wrote, without the texts that a client adds in the person's name. */
import type { ReadEntry } from './entry';

/** Tags of blocks that clients add to prompts. Any other tag is typed text. */
const TAGS = [
  // Claude Code and its editor extensions.
  'system-reminder|ide_(?:opened_file|selection|diagnostics)|local-command-[a-z]+|command-[a-z]+|bash-(?:input|std[a-z]+)',
  'task-notification|background-task-(?:input|output)|user-memory-input|user-prompt-submit-hook|session-start-hook',
  'mcp-(?:resource|polling)-update|teammate-message|cross-session-message|persisted-output|tools-used-before-summary',
  // Codex.
  'environment_context|user_instructions|(?:skills|apps|plugins)_instructions|permissions instructions|app-context',
  'collaboration_mode|model_switch|personality_spec|turn_aborted|user_(?:shell_command|action)|subagent_notification',
  'recommended_plugins|codex_internal_context|skill(?=>\\n)',
  // Gemini CLI.
  'session_context|hook_context|state_snapshot',
].join('|');
const OPENING = new RegExp(`^<(${TAGS})(?: [^<>]{0,500})?>`);
const BY_CLIENT = /^(Caveat:|\[Request interrupted|# AGENTS\.md instructions)/;
const COMMAND = /<command-name>\s*(.+?)\s*<\/command-name>/;
const ARGUMENTS = /<command-args>\s*([\s\S]+?)\s*<\/command-args>/;
/** The extension of Codex writes the open files before the typed text. */
const CONTEXT = '# Context from my IDE setup:';
const REQUEST = /\n## My request for Codex:\s*([\s\S]+)/;
/** In the result of a tool call that the person refused, the text after this mark is the person's. */
const REFUSED = /the user said:\n([\s\S]+?)(?:\n\nNote: |$)/;

/** The person's text of a prompt; a command as `/name arguments`. Null: the client wrote it, or it has no arguments. */
export function humanText(prompt: string): string | null {
  const text = prompt.trim();
  const name = COMMAND.exec(text)?.[1];
  const args = ARGUMENTS.exec(text)?.[1];
  if (name !== undefined && args !== undefined) return `${name} ${args}`;
  const typed = withoutBlocks(text);
  if (typed === '' || BY_CLIENT.test(typed)) return null;
  return (typed.startsWith(CONTEXT) && REQUEST.exec(typed)?.[1]?.trim()) || typed;
}

/** The text behind the client's blocks at its start. */
function withoutBlocks(text: string): string {
  let rest = text;
  for (let tag = OPENING.exec(rest); tag !== null; tag = OPENING.exec(rest)) {
    const closing = `</${tag[1]}>`;
    const end = rest.indexOf(closing);
    if (end < 0) return '';
    rest = rest.slice(end + closing.length).trimStart();
  }
  return rest;
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
