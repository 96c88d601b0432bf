import { fieldsOf, listOf, textOf } from './read-value';
import { readCallUsage, type UsageReading } from './usage-reading';

const NAMES = { prompt: 'prompt_tokens', completion: 'completion_tokens', total: 'total_tokens' };

/**
 * Reads what a Chat Completions response, or one chunk of a stream, says about its call.
 *
 * OpenAI: `usage.prompt_tokens` includes the cached part (`prompt_tokens_details`), `completion_tokens` the
 * reasoning; in a stream the last chunk has it where it was asked for. Compatible servers are read as well, what
 * they name differently included: Moonshot puts a stream's usage into the choice, Groq into `x_groq`.
 *
 * @returns null where it has no usage, as in all but one chunk of a stream.
 * @throws UsageCountError for a figure that is no whole number of at most 2^53−1 in size, naming the field.
 */
export function readChatUsage(response: unknown): UsageReading | null {
  const fields = fieldsOf(response);
  if (fields === null) return null;
  const usage =
    fieldsOf(fields.usage) ??
    fieldsOf(fieldsOf(listOf(fields.choices)[0])?.usage) ??
    fieldsOf(fieldsOf(fields.x_groq)?.usage);
  const counts = usage && readCallUsage(usage, 'openai-chat', NAMES);
  return counts && { call: textOf(fields.id), model: textOf(fields.model), ...counts };
}
