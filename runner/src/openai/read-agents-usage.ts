import { type Fields, fieldsOf, listOf, textOf } from './read-value';
import { countUsage, type UsageReading } from './usage-reading';

/**
 * Reads the `usage` of the OpenAI Agents SDK (`@openai/agents`), of a whole run or of one entry of its
 * `rawResponses`, call by call. A run's totals are spending: they count a re-read prefix once for each call,
 * so they are no context's size, and only its `requestUsageEntries` are read.
 *
 * @param responseId id of the response, known where the usage is that of one raw response.
 * @returns one reading for each request, oldest first; where entries are missing, the totals of several
 * requests come as one reading without a context size. Empty when there is nothing to read. Never throws.
 */
export function readAgentsUsage(usage: unknown, responseId?: string): UsageReading[] {
  const fields = fieldsOf(usage);
  if (fields === null) return [];
  const entries = listOf(fields.requestUsageEntries);
  const call = entries.length > 1 ? null : textOf(responseId);
  if (entries.length > 0) return entries.flatMap((entry) => readEntry(fieldsOf(entry), call) ?? []);
  const whole = readEntry(fields, call);
  if (whole === null) return [];
  return [fields.requests === 1 ? whole : { ...whole, call: null, contextTokens: null }];
}

function readEntry(entry: Fields | null, call: string | null): UsageReading | null {
  if (entry === null) return null;
  const counts = countUsage({
    prompt: entry.inputTokens,
    completion: entry.outputTokens,
    total: entry.totalTokens,
    cached: sumOf(entry.inputTokensDetails, 'cached_tokens'),
    cacheWrite: sumOf(entry.inputTokensDetails, 'cache_write_tokens'),
    reasoning: sumOf(entry.outputTokensDetails, 'reasoning_tokens'),
  });
  return counts && { call, model: null, ...counts };
}

/** Details of a run are a list, one for each request; those of an entry are one object. */
function sumOf(details: unknown, name: string): unknown {
  const parts = Array.isArray(details) ? details : [details];
  const counts = parts.map((part) => fieldsOf(part)?.[name] ?? 0);
  return counts.every((count) => typeof count === 'number')
    ? counts.reduce((sum, count) => sum + count, 0)
    : Number.NaN;
}
