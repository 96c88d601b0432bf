/**
 * Reads the records of a session. An old file is one JSON document with all messages, which the client writes whole
 * after each change. A newer file is a stream: its first line describes the session, a message is appended again after
 * each change, and `$set` replaces fields of the session, also the whole list of messages.
 */
import type { Boundary, CallCounts } from '../entry';
import { asCount, asFields, asList, asText, asTime, cleanText, type Fields } from '../fields';

/** The messages of a record: a list that replaces all messages, or one message. */
export function messagesOf(record: Fields): { messages: Fields[]; isWhole: boolean } {
  const given = asFields(record.$set)?.messages ?? record.messages;
  if (given === undefined) return { messages: isMessage(record) ? [record] : [], isWhole: false };
  const messages = asList(given).map(asFields);
  return { messages: messages.filter((each) => each !== null && isMessage(each)) as Fields[], isWhole: true };
}

export function isMessage(record: Fields): boolean {
  return typeof record.id === 'string' && typeof record.type === 'string' && 'content' in record;
}

/** The usage of a message; null: the message reports no call. */
export function readCounts(message: Fields): CallCounts | null {
  const tokens = asFields(message.tokens);
  if (message.type !== 'gemini' || tokens === null) return null;
  const count = (name: string) => asCount(tokens[name]) ?? 0;
  const prompt = count('input') + count('tool');
  const output = count('output') + count('thoughts');
  const contextTokens = count('total') || prompt + output;
  if (contextTokens === 0) return null;
  // The prompt includes its cached part.
  const cacheRead = Math.min(count('cached'), prompt);
  return { input: prompt - cacheRead, output, cacheRead, cacheCreation: 0, contextTokens };
}

/** With this message of the model, the client acknowledges the summary that it put before it. */
const ACKNOWLEDGEMENT = 'Got it. Thanks for the additional context!';
/** Part of each line with a compaction. */
export const BOUNDARY_MARK = ACKNOWLEDGEMENT;

/** The compaction after which a list of messages was written. Later lists repeat it. */
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
