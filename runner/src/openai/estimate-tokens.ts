/**
 * The fallback where a provider states no usage: a quarter of the characters. It differs from every
 * tokenizer, counts neither tool definitions nor pictures, and is therefore marked wherever it goes.
 */

import { asList, type Fields } from '../../../core/agents/fields';
import { countCharacters } from '../tracker/read-message';
import type { Api } from './openai-types';

const CHARACTERS_PER_TOKEN = 4;

/** ceil(characters / 4), tokens. Characters are Unicode code points. */
export function estimateTokens(text: string): number {
  return tokensOf(countText(text));
}

export function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/**
 * Characters of the messages that a request sends; null where the history lies at the provider, so that what
 * is sent does not give the context's size.
 */
export function countPrompt(api: Api, body: Fields): number | null {
  if (api === 'chat') return countText(body.messages);
  const elsewhere = [body.previous_response_id, body.conversation, body.prompt];
  return elsewhere.every((place) => (place ?? null) === null)
    ? countText(body.instructions) + countText(body.input)
    : null;
}

/** Characters of a text, a message, a delta of one, or a list of them. */
export function countText(value: unknown): number {
  if (typeof value === 'string') return countCharacters({ content: value });
  if (Array.isArray(value)) return asList(value).reduce<number>((sum, part) => sum + countText(part), 0);
  return typeof value === 'object' && value !== null ? countCharacters(value) : 0;
}
