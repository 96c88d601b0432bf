/** The fallback without usage: a quarter of the characters, without tool definitions and pictures. Marked as an estimate. */
import type { Fields } from '../../../core/agents/fields';
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

/** Characters of a request's messages; null if the provider keeps the history, so the context's size is unknown. */
export function countPrompt(api: Api, body: Fields): number | null {
  if (api === 'chat') return countText(body.messages);
  const elsewhere = [body.previous_response_id, body.conversation, body.prompt];
  return elsewhere.every((place) => (place ?? null) === null)
    ? countText(body.instructions) + countText(body.input)
    : null;
}

/** Characters of a text, a message, a delta, or a list of them. */
export function countText(value: unknown): number {
  if (typeof value === 'string') return countCharacters({ content: value });
  if (Array.isArray(value)) return value.reduce<number>((sum, part) => sum + countText(part), 0);
  return typeof value === 'object' && value !== null ? countCharacters(value) : 0;
}
