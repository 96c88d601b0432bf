import { type Fields, fieldsOf, firstOf, listOf, textOf } from './read-value';
import { readCallUsage, type UsageReading } from './usage-reading';

const NAMES = { prompt: 'prompt_tokens', completion: 'completion_tokens', total: 'total_tokens' };

/**
 * Reads what a Chat Completions response, or one chunk of a stream, says about its call.
 *
 * OpenAI: `usage.prompt_tokens` includes the cached part (`prompt_tokens_details`), `completion_tokens` the
 * reasoning; in a stream the last chunk has it where it was asked for. Compatible servers are read as well:
 * DeepSeek and Moonshot name the cached part differently, Moonshot puts a stream's usage into the choice, Groq
 * into `x_groq`, and xAI counts reasoning beside the completion.
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
  const counts = usage && readCallUsage(inOneSpelling(usage), 'openai-chat', NAMES);
  return counts && { call: textOf(fields.id), model: textOf(fields.model), ...counts };
}

/** The usage as OpenAI would spell it. */
function inOneSpelling(usage: Fields): Fields {
  const details = fieldsOf(usage.prompt_tokens_details);
  const cached = firstOf(details?.cached_tokens, usage.prompt_cache_hit_tokens, usage.cached_tokens);
  return {
    ...usage,
    completion_tokens: withReasoning(usage),
    prompt_tokens_details: { ...details, cached_tokens: cached },
  };
}

/** The total tells whether reasoning was counted within the completion or beside it. */
function withReasoning(usage: Fields): unknown {
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage;
  const reasoning = fieldsOf(usage.completion_tokens_details)?.reasoning_tokens;
  const figures = [prompt, completion, reasoning, total];
  if (!figures.every((figure): figure is number => Number.isSafeInteger(figure))) return completion;
  const [input = 0, output = 0, thought = 0, whole = 0] = figures;
  return thought > 0 && whole === input + output + thought ? output + thought : completion;
}
