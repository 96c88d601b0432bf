import type { BoundarySign } from '../agent-format';
import { asCount, asFields, asList, asText, asTime, cleanText, type Fields } from '../fields';

export interface CallUsage {
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
  /** The last `iterations` of type message: the sums are spending, this is the context size. Null: one message. */
  last: { input: number; output: number; cacheRead: number; cacheCreation: number } | null;
}

export type CallReading =
  | { type: 'call'; id: string; model: string | null; usage: CallUsage }
  | { type: 'synthetic' }
  | { type: 'invalid'; reason: string };

/** Model name of messages that the client writes itself, such as API errors. */
export const SYNTHETIC = '<synthetic>';

const COUNTS = [
  ['input', 'input_tokens'],
  ['output', 'output_tokens'],
  ['cacheRead', 'cache_read_input_tokens'],
  ['cacheCreation', 'cache_creation_input_tokens'],
] as const;

export function readCall(line: Fields): CallReading | null {
  const message = asFields(line.message);
  const usage = asFields(message?.usage);
  if (message === null || usage === null) return null;
  if (message.model === SYNTHETIC) return { type: 'synthetic' };
  const read = readUsage(usage);
  if ('invalid' in read) {
    return { type: 'invalid', reason: `${read.invalid} is not a whole number of tokens; call skipped` };
  }
  const id = cleanText(message.id) ?? cleanText(line.requestId) ?? cleanText(line.uuid);
  if (id === null) {
    return { type: 'invalid', reason: 'a call without message id, request id and uuid; skipped' };
  }
  return { type: 'call', id, model: cleanText(message.model, 200), usage: read };
}

/** Absent and null fields count as 0. */
function readUsage(usage: Fields): CallUsage | { invalid: string } {
  const counts = readCounts(usage);
  if ('invalid' in counts) return counts;
  const messages = asList(usage.iterations)
    .map(asFields)
    .filter((entry) => entry?.type === 'message');
  const lastEntry = messages.length > 1 ? messages.at(-1) : null;
  if (!lastEntry) return { ...counts, last: null };
  const last = readCounts(lastEntry);
  return 'invalid' in last ? { ...counts, last: null } : { ...counts, last };
}

function readCounts(from: Fields) {
  const counts = { input: 0, output: 0, cacheRead: 0, cacheCreation: 0 };
  for (const [name, field] of COUNTS) {
    const value = from[field] ?? 0;
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) return { invalid: `usage.${field}` };
    counts[name] = value;
  }
  return counts;
}

/** Context size after the call, tokens: the sum of all four counts of its last message. */
export function contextTokensOf(usage: CallUsage): number {
  const { input, output, cacheRead, cacheCreation } = usage.last ?? usage;
  return Math.max(0, input) + Math.max(0, cacheCreation) + Math.max(0, cacheRead) + Math.max(0, output);
}

/** Requests of the client itself, which carry the whole history and are no context of their own. */
export function isSideChain(chain: string | null): boolean {
  return chain !== null && /^a(compact|prompt_suggestion|side_question)-/.test(chain);
}

export interface BoundaryLine extends BoundarySign {
  preTokens: number | null;
  postTokens: number | null;
  durationMs: number | null;
  keptIds: string[];
}

/**
 * The compaction that ends with a line; null for any other line. `microcompact_boundary` clears old tool results
 * inside a context and ends none. `cumulativeDroppedTokens` is a running total and not read.
 */
export function readBoundary(line: Fields): BoundaryLine | null {
  if (line.type !== 'system' || line.subtype !== 'compact_boundary') return null;
  // Files use camel case, the stream of the Agent SDK snake case.
  const metadata = asFields(line.compactMetadata) ?? asFields(line.compact_metadata);
  const kept = asFields(metadata?.preservedMessages);
  const ids = [...asList(kept?.uuids), ...asList(kept?.allUuids)];
  const trigger = metadata?.trigger;
  return {
    id: cleanText(line.uuid),
    trigger: trigger === 'manual' || trigger === 'auto' ? trigger : null,
    at: asTime(line.timestamp),
    preTokens: asCount(metadata?.preTokens ?? metadata?.pre_tokens),
    postTokens: asCount(metadata?.postTokens ?? metadata?.post_tokens),
    durationMs: asCount(metadata?.durationMs ?? metadata?.duration_ms),
    keptIds: [...new Set(ids.filter((id) => typeof id === 'string'))],
  };
}

/** Context window that a line states, with the model it belongs to. */
export function readWindow(line: Fields): { model: string | null; tokens: number } | null {
  const usage = asFields(line.contextUsage);
  const tokens = asCount(usage?.raw_max_tokens);
  return usage === null || !tokens ? null : { model: cleanText(usage.model, 200), tokens };
}

/** Text the person typed; null for tool results and images. */
export function readPrompt(line: Fields): string | null {
  if (line.type !== 'user') return null;
  const content = asFields(line.message)?.content;
  if (typeof content === 'string') return content.trim() || null;
  for (const block of asList(content)) {
    const fields = asFields(block);
    const text = fields?.type === 'text' ? asText(fields.text)?.trim() : null;
    if (text) return text;
  }
  return null;
}
