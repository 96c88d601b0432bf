import { type Fields, fieldsOf, textOf } from './read-value';
import { readCallUsage, type UsageReading } from './usage-reading';

const NAMES = { prompt: 'input_tokens', completion: 'output_tokens', total: 'total_tokens' };

/** Events that end a response; they carry it whole, with its usage. */
const LAST_EVENTS: ReadonlySet<unknown> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
]);

/** The response itself, be it given or inside an event of its stream; null where there is none. */
export function responseOf(value: unknown): Fields | null {
  const fields = fieldsOf(value);
  if (fields === null) return null;
  const isEvent = typeof fields.type === 'string' && fields.object === undefined;
  return isEvent ? fieldsOf(fields.response) : fields;
}

/** Whether it is the event that ends its response. */
export function isLastEvent(value: unknown): boolean {
  return LAST_EVENTS.has(fieldsOf(value)?.type);
}

/**
 * Reads what a response of the Responses API, or one event of its stream, says about its call.
 * `usage.input_tokens` includes the cached part (`input_tokens_details`), `output_tokens` the reasoning.
 * A response of `responses.compact` is read alike.
 *
 * @returns null where it has no usage: in all events but the last, and while a response is still in progress.
 * @throws UsageCountError for a figure that is no whole number of at most 2^53−1 in size, naming the field.
 */
export function readResponsesUsage(response: unknown): UsageReading | null {
  const fields = responseOf(response);
  if (fields === null) return null;
  const usage = fieldsOf(fields.usage);
  const counts = usage && readCallUsage(usage, 'openai-responses', NAMES);
  return counts && { call: textOf(fields.id), model: textOf(fields.model), ...counts };
}
