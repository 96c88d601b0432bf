import { asFields, asList, asNonEmptyText, type Fields } from '../../../core/agents/fields';
import type { ReadingBasis } from '../../../core/protocol/items';
import { readCounts, shapeOf, states, type UsageVendor, wireUsage } from '../usage/vendor-shapes';

/** What one call spent, tokens. The cached part is in no other figure; reasoning is part of `output`. */
export interface CallUsage {
  /** Prompt without what was read from the prompt cache or written to it. */
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
}

/** What a response, chunk or event states about its call. */
export interface UsageReading {
  /** Id of the response, as the provider gave it; null without one. */
  call: string | null;
  /** Model that answered; null where it is not named. */
  model: string | null;
  /** null: only a total was stated, which does not give the spending of either side. */
  usage: CallUsage | null;
  /** Size of the context after the call, tokens: the stated total, else prompt + completion. null: none is stated. */
  contextTokens: number | null;
  /** `input`: the output was not stated, so the size is the prompt's alone. */
  basis: Exclude<ReadingBasis, 'estimate'>;
}

/**
 * Turns one usage object into deltas and a reading.
 * @returns null when it states nothing, as placeholders in the chunks of a stream do.
 */
function readCallUsage(
  usage: Fields,
  vendor: UsageVendor,
): Pick<UsageReading, 'usage' | 'contextTokens' | 'basis'> | null {
  const { input, output, total } = shapeOf(vendor);
  const isSpending = states(usage, `${input} ${output}`);
  if (!isSpending && !states(usage, total)) return null;
  const counts = readCounts(usage, vendor);
  const basis = states(usage, `${output} ${total}`) ? 'total' : 'input';
  return { usage: isSpending ? wireUsage(counts) : null, contextTokens: counts.contextTokens, basis };
}

/** A response's usage, with its id and model. */
function readResponse(fields: Fields, usage: Fields | null, vendor: UsageVendor): UsageReading | null {
  const counts = usage && readCallUsage(usage, vendor);
  return counts && { call: asNonEmptyText(fields.id), model: asNonEmptyText(fields.model), ...counts };
}

/**
 * Read the usage of a Chat Completions response, or of one chunk of its stream.
 *
 * OpenAI: `usage.prompt_tokens` includes the cached part (`prompt_tokens_details`), `completion_tokens` the
 * reasoning; in a stream the last chunk has it where it was asked for. Compatible servers are read as well, what
 * they name differently included: Moonshot puts a stream's usage into the choice, Groq into `x_groq`.
 *
 * @returns null where it has no usage, as in all but one chunk of a stream.
 * @throws UsageCountError for a figure that is no whole number of at most 2^53−1 in size, naming the field.
 */
export function readChatUsage(response: unknown): UsageReading | null {
  const fields = asFields(response);
  if (fields === null) return null;
  const usage =
    asFields(fields.usage) ??
    asFields(asFields(asList(fields.choices)[0])?.usage) ??
    asFields(asFields(fields.x_groq)?.usage);
  return readResponse(fields, usage, 'openai-chat');
}

/** Events that end a response; they carry it whole, with its usage. */
const LAST_EVENTS: ReadonlySet<unknown> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
]);

/** The response itself, be it given or inside an event of its stream; null where there is none. */
export function responseOf(value: unknown): Fields | null {
  const fields = asFields(value);
  if (fields === null) return null;
  const isEvent = typeof fields.type === 'string' && fields.object === undefined;
  return isEvent ? asFields(fields.response) : fields;
}

/** Whether it is the event that ends its response. */
export function isLastEvent(value: unknown): boolean {
  return LAST_EVENTS.has(asFields(value)?.type);
}

/**
 * Read the usage of a response of the Responses API, or of one event of its stream.
 * `usage.input_tokens` includes the cached part (`input_tokens_details`), `output_tokens` the reasoning.
 * A response of `responses.compact` is read alike.
 *
 * @returns null where it has no usage: in all events but the last, and while a response is still in progress.
 * @throws UsageCountError for a figure that is no whole number of at most 2^53−1 in size, naming the field.
 */
export function readResponsesUsage(response: unknown): UsageReading | null {
  const fields = responseOf(response);
  if (fields === null) return null;
  return readResponse(fields, asFields(fields.usage), 'openai-responses');
}

/**
 * Reads the `usage` of the OpenAI Agents SDK (`@openai/agents`), of a whole run, of one of its `rawResponses`
 * or a single entry of either, call by call. A run's totals are spending: they count a re-read prefix once for each call,
 * so they are no context's size, and its `requestUsageEntries` are read instead.
 *
 * @param responseId id of the response, known where the usage is that of one raw response.
 * @returns one reading for each request, oldest first; where entries are missing, the totals of several
 * requests become one reading without a context size. Empty when there is nothing to read.
 * @throws UsageCountError for a figure that is no whole number of at most 2^53−1 in size, naming the field.
 */
export function readAgentsUsage(usage: unknown, responseId?: string): UsageReading[] {
  const fields = asFields(usage);
  if (fields === null) return [];
  const entries = asList(fields.requestUsageEntries)
    .map(asFields)
    .filter((entry) => entry !== null);
  if (entries.length > 0) {
    const call = entries.length === 1 ? asNonEmptyText(responseId) : null;
    return entries.flatMap((entry) => readEntry(entry, call));
  }
  // A single entry states no number of requests.
  if ((fields.requests ?? 1) === 1) return readEntry(fields, asNonEmptyText(responseId));
  return readEntry(fields, null).map((whole) => ({ ...whole, contextTokens: null }));
}

function readEntry(entry: Fields, call: string | null): UsageReading[] {
  const counts = readCallUsage(entry, 'openai-agents');
  return counts === null ? [] : [{ call, model: null, ...counts }];
}
