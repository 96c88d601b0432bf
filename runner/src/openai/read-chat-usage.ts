import { fieldsOf, firstOf, listOf, textOf } from './read-value';
import { countUsage, type UsageReading } from './usage-reading';

/**
 * Reads what a Chat Completions response, or one chunk of a stream, says about its call.
 *
 * OpenAI: `usage.prompt_tokens` includes the cached part (`prompt_tokens_details`), `completion_tokens` the
 * reasoning; in a stream the last chunk has it where it was asked for. Compatible servers are read as well:
 * DeepSeek and Moonshot name the cached part differently, Moonshot puts a stream's usage into the choice, Groq
 * into `x_groq`.
 *
 * @returns null where it has no usage, as in all but one chunk of a stream. Never throws.
 */
export function readChatUsage(response: unknown): UsageReading | null {
  const fields = fieldsOf(response);
  if (fields === null) return null;
  const usage =
    fieldsOf(fields.usage) ??
    fieldsOf(fieldsOf(listOf(fields.choices)[0])?.usage) ??
    fieldsOf(fieldsOf(fields.x_groq)?.usage);
  if (usage === null) return null;
  const details = fieldsOf(usage.prompt_tokens_details);
  const counts = countUsage({
    prompt: usage.prompt_tokens,
    completion: usage.completion_tokens,
    total: usage.total_tokens,
    cached: firstOf(details?.cached_tokens, usage.prompt_cache_hit_tokens, usage.cached_tokens),
    cacheWrite: details?.cache_write_tokens,
    reasoning: fieldsOf(usage.completion_tokens_details)?.reasoning_tokens,
  });
  return counts && { call: textOf(fields.id), model: textOf(fields.model), ...counts };
}
