import { type Fields, fieldsOf, listOf, textOf } from './read-value';
import { readCallUsage, type UsageReading } from './usage-reading';

const NAMES = { prompt: 'inputTokens', completion: 'outputTokens', total: 'totalTokens' };

/**
 * Reads the `usage` of the OpenAI Agents SDK (`@openai/agents`), of a whole run, of one of its `rawResponses`
 * or a single entry of either, call by call. A run's totals are spending: they count a re-read prefix once for each call,
 * so they are no context's size, and its `requestUsageEntries` are read instead.
 *
 * @param responseId id of the response, known where the usage is that of one raw response.
 * @returns one reading for each request, oldest first; where entries are missing, the totals of several
 * requests come as one reading without a context size. Empty when there is nothing to read.
 * @throws UsageCountError for a figure that is no whole number of at most 2^53−1 in size, naming the field.
 */
export function readAgentsUsage(usage: unknown, responseId?: string): UsageReading[] {
  const fields = fieldsOf(usage);
  if (fields === null) return [];
  const entries = listOf(fields.requestUsageEntries)
    .map(fieldsOf)
    .filter((entry) => entry !== null);
  if (entries.length > 0) {
    const call = entries.length === 1 ? textOf(responseId) : null;
    return entries.flatMap((entry) => readEntry(entry, call));
  }
  // A single entry says nothing of a number.
  if ((fields.requests ?? 1) === 1) return readEntry(fields, textOf(responseId));
  return readEntry(fields, null).map((whole) => ({ ...whole, contextTokens: null }));
}

function readEntry(entry: Fields, call: string | null): UsageReading[] {
  const counts = readCallUsage(entry, 'openai-agents', NAMES);
  return counts === null ? [] : [{ call, model: null, ...counts }];
}
