/**
 * The fallback where a provider states no usage: a quarter of the characters. It differs from every
 * tokenizer, counts neither tools nor images, and is therefore marked wherever it goes.
 */
import { type Fields, fieldsOf, isAbsent, listOf } from './read-value';

const CHARACTERS_PER_TOKEN = 4;

/** ceil(characters / 4), tokens. Characters are UTF-16 units, as `text.length` counts them. */
export function estimateTokens(text: string): number {
  return tokensOf(text.length);
}

export function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Characters of the messages of a Chat Completions request. */
export function countChatPrompt(body: Fields): number {
  return sum(listOf(body.messages).map(countMessage));
}

/**
 * Characters of what a request to the Responses API sends; null where the history lies at the provider, so
 * that what is sent says nothing about the context's size.
 */
export function countResponsesPrompt(body: Fields): number | null {
  const elsewhere = [body.previous_response_id, body.conversation, body.prompt];
  if (!elsewhere.every(isAbsent)) return null;
  return lengthOf(body.instructions) + countItems(body.input);
}

/** Characters of a message, of a delta of one, or of an item of the Responses API. */
export function countMessage(message: unknown): number {
  const fields = fieldsOf(message);
  if (fields === null) return 0;
  const calls = listOf(fields.tool_calls).map(fieldsOf);
  return (
    countItems(fields.content) +
    lengthOf(fields.text) +
    lengthOf(fields.refusal) +
    lengthOf(fields.arguments) +
    lengthOf(fields.input) +
    countItems(fields.output) +
    lengthOf(fieldsOf(fields.function_call)?.arguments) +
    sum(
      calls.map(
        (call) => lengthOf(fieldsOf(call?.function)?.arguments) + lengthOf(fieldsOf(call?.custom)?.input),
      ),
    )
  );
}

/** Characters of a text, or of a list of items or parts. */
export function countItems(value: unknown): number {
  return lengthOf(value) + sum(listOf(value).map(countMessage));
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
