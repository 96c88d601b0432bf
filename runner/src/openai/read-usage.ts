import type { AdvisorCall } from '../../../core/agents/claude-code/message-usage';
import { asFields, asList, asNonEmptyText, type Fields } from '../../../core/agents/fields';
import type { ReadingBasis } from '../../../core/protocol/items';
import {
  countsOf,
  readCounts,
  shapeOf,
  states,
  type UsageCounts,
  type UsageVendor,
} from '../usage/read-usage';

/**
 * Usage of one call, tokens. Tokens read from or written to the prompt cache count only in their own fields; reasoning
 * is part of `outputTokens`.
 */
export type CallUsage = UsageCounts;

/** The usage that a response, chunk or event reports. */
export interface UsageReading {
  /** Id of the response; null if it has no id. */
  call: string | null;
  /** Model that answered; null if not named. */
  model: string | null;
  /** null: only a total was reported, without input and output. */
  usage: CallUsage | null;
  /** Size of the context after the call, tokens: the reported total, else prompt + completion. null: unknown. */
  contextTokens: number | null;
  /** `input`: the output was not reported, so the size counts only the prompt. */
  basis: Exclude<ReadingBasis, 'estimate'>;
}

/** The counts of a usage, without the call's id and model. */
export interface CallReading extends Pick<UsageReading, 'usage' | 'contextTokens' | 'basis'> {
  /** Calls that other models made for this one, which its counts exclude. Default: none. */
  advisors?: readonly AdvisorCall[];
}

/** Null for a usage without any count, such as a placeholder in a stream's chunk. */
export function readCallUsage(usage: Fields, vendor: UsageVendor): CallReading | null {
  const { input, output, total } = shapeOf(vendor);
  const isSpending = states(usage, `${input} ${output}`);
  if (!isSpending && !states(usage, total)) return null;
  const counts = readCounts(usage, vendor);
  const basis = states(usage, `${output} ${total}`) ? 'total' : 'input';
  return { usage: isSpending ? countsOf(counts) : null, contextTokens: counts.contextTokens, basis };
}

function readResponse(fields: Fields, usage: Fields | null, vendor: UsageVendor): UsageReading | null {
  const counts = usage && readCallUsage(usage, vendor);
  return counts && { call: asNonEmptyText(fields.id), model: asNonEmptyText(fields.model), ...counts };
}

/**
 * Read the usage of a Chat Completions response, or of one chunk of a streamed response.
 *
 * OpenAI: `usage.prompt_tokens` includes the cached part (`prompt_tokens_details`), `completion_tokens` the reasoning.
 * In a stream, the last chunk has the usage if it was requested. Compatible servers are read as well: Moonshot puts a
 * stream's usage into the choice, Groq into `x_groq`.
 *
 * @returns null without usage, as in all but one chunk of a stream.
 * @throws UsageCountError for a count that is not a whole number from −(2^53−1) to 2^53−1, naming the field.
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

/** Events that end a response. They contain the whole response with its usage. */
const LAST_EVENTS: ReadonlySet<unknown> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
]);

/** A response itself, or the response in an event of its stream; null if the value contains no response. */
export function responseOf(value: unknown): Fields | null {
  const fields = asFields(value);
  if (fields === null) return null;
  const isEvent = typeof fields.type === 'string' && fields.object === undefined;
  return isEvent ? asFields(fields.response) : fields;
}

export function isLastEvent(value: unknown): boolean {
  return LAST_EVENTS.has(asFields(value)?.type);
}

/**
 * Read the usage of a response of the Responses API, or of one event of its stream.
 * `usage.input_tokens` includes the cached part (`input_tokens_details`), `output_tokens` the reasoning. Also reads a
 * response of `responses.compact`.
 *
 * @returns null without usage: in all events but the last, and while a response is in progress.
 * @throws UsageCountError for a count that is not a whole number from −(2^53−1) to 2^53−1, naming the field.
 */
export function readResponsesUsage(response: unknown): UsageReading | null {
  const fields = responseOf(response);
  if (fields === null) return null;
  return readResponse(fields, asFields(fields.usage), 'openai-responses');
}

/**
 * Read the `usage` of the OpenAI Agents SDK (`@openai/agents`) call by call: of a run, of one of its `rawResponses`, or
 * of a single entry. A run's totals count a repeated prefix once per call, so they give no context size; each entry of
 * `requestUsageEntries` gives one.
 *
 * @param usage of a run, of a raw response, or an entry.
 * @param responseId id of the response, if the usage is that of one raw response.
 * @returns one reading per request, oldest first. Without entries, the totals of several requests become one reading
 * without a context size. Empty without usage.
 * @throws UsageCountError for a count that is not a whole number from −(2^53−1) to 2^53−1, naming the field.
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
  // A single entry does not state a number of requests.
  if ((fields.requests ?? 1) === 1) return readEntry(fields, asNonEmptyText(responseId));
  return readEntry(fields, null).map((whole) => ({ ...whole, contextTokens: null }));
}

function readEntry(entry: Fields, call: string | null): UsageReading[] {
  const counts = readCallUsage(entry, 'openai-agents');
  return counts === null ? [] : [{ call, model: null, ...counts }];
}
