/**
 * Reads the records of a session. Old versions write one JSON document with all messages, and write it whole after each
 * change. Newer versions append lines: the first line describes the session, a changed message is appended again, and
 * `$set` replaces fields of the session or the whole list of messages.
 */
import type { Boundary, CallCounts } from '../entry';
import { asCount, asFields, asList, asText, asTime, cleanText, type Fields } from '../fields';
import { splitPrompt } from '../split-prompt';

/** The messages of a record. `isWhole`: the record contains the list of all messages, not a single message. */
export function messagesOf(record: Fields): { messages: Fields[]; isWhole: boolean } {
  const given = asFields(record.$set)?.messages ?? record.messages;
  if (given === undefined) return { messages: isMessage(record) ? [record] : [], isWhole: false };
  const messages = asList(given).map(asFields);
  return { messages: messages.filter((each) => each !== null && isMessage(each)) as Fields[], isWhole: true };
}

export function isMessage(record: Fields): boolean {
  return typeof record.id === 'string' && typeof record.type === 'string' && 'content' in record;
}

/** Read the usage of a message; null: the message reports no call. */
export function readCounts(message: Fields): CallCounts | null {
  const tokens = asFields(message.tokens);
  if (message.type !== 'gemini' || tokens === null) return null;
  const count = (name: string) => asCount(tokens[name]) ?? 0;
  const prompt = count('input') + count('tool');
  const output = count('output') + count('thoughts');
  const contextTokens = count('total') || prompt + output;
  if (contextTokens === 0) return null;
  return { ...splitPrompt(prompt, count('cached'), 0), output, contextTokens };
}

/** The client writes this message in the model's name after the summary of a compaction. */
const ACKNOWLEDGEMENT = 'Got it. Thanks for the additional context!';
/** Text that each line with a compaction contains. */
export const BOUNDARY_MARK = ACKNOWLEDGEMENT;

/** Read the compaction that a list of messages begins with. Later lists repeat it. */
export function readBoundary(record: Fields): Boundary | null {
  const { messages, isWhole } = messagesOf(record);
  const index = isWhole ? messages.findIndex((each) => textOf(each) === ACKNOWLEDGEMENT) : -1;
  const summary = messages[index - 1];
  const answer = messages[index];
  if (answer?.type !== 'gemini' || summary?.type !== 'user') return null;
  return {
    id: cleanText(summary.id),
    at: asTime(answer.timestamp),
    trigger: null,
    preTokens: null,
    postTokens: null,
    durationMs: null,
    keptIds: [],
    keptTexts: messages
      .slice(index + 1)
      .map(textOf)
      .filter((text) => text !== ''),
    summary: textOf(summary) || null,
  };
}

/** The text of a message, without its tool calls. */
export function textOf({ content }: Fields): string {
  if (typeof content === 'string') return content;
  const parts = asList(content).map((part) => asText(part) ?? asText(asFields(part)?.text) ?? '');
  return parts.filter((text) => text !== '').join('\n\n');
}

/** Whether the client wrote a message of the user. */
export function isClientText(text: string): boolean {
  return /^\s*<(session_context|state_snapshot)>|^This is the Gemini CLI\./.test(text);
}
