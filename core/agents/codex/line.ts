import type { BoundarySign } from '../agent-format';
import type { CallCounts, EntryCall } from '../entry';
import { asCount, asFields, asList, asText, asTime, cleanText, type Fields } from '../fields';

export interface UsageReport {
  /** Response id, or the totals after the call: an event with the same totals reports nothing new. */
  id: string;
  source: Exclude<EntryCall['source'], 'line'>;
  counts: CallCounts;
  /** Zeroed usage after a compaction: its total estimates the kept context. */
  isEstimate: boolean;
  window: number | null;
}

export function readUsage(line: Fields): UsageReport | null {
  const payload = asFields(line.payload);
  if (line.type === 'token_usage_record') {
    const usage = asFields(payload?.usage);
    return usage && reportOf(asText(payload?.response_id) ?? '', 'response', usage, null);
  }
  if (line.type !== 'event_msg' || payload?.type !== 'token_count') return null;
  const info = asFields(payload.info);
  const usage = asFields(info?.last_token_usage);
  const totals = JSON.stringify(info?.total_token_usage ?? null).slice(0, 500);
  return usage && reportOf(totals, 'totals', usage, asCount(info?.model_context_window));
}

function reportOf(
  id: string,
  source: UsageReport['source'],
  usage: Fields,
  window: number | null,
): UsageReport {
  const prompt = asCount(usage.input_tokens) ?? 0;
  const cacheRead = asCount(usage.cached_input_tokens) ?? 0;
  const cacheCreation = asCount(usage.cache_write_input_tokens) ?? 0;
  const output = asCount(usage.output_tokens) ?? 0;
  // The prompt includes its cached part.
  const input = Math.max(0, prompt - cacheRead - cacheCreation);
  const contextTokens = asCount(usage.total_tokens) ?? prompt + output;
  const counts = { input, output, cacheRead, cacheCreation, contextTokens };
  return { id, source, counts, isEstimate: input + output + cacheRead === 0, window };
}

export interface CompactedLine extends BoundarySign {
  summary: string | null;
  keptTexts: string[];
}

export function readCompacted(line: Fields): CompactedLine | null {
  const payload = asFields(line.payload);
  if (line.type !== 'compacted' || payload === null) return null;
  const summary = asText(payload.message) || null;
  return {
    id: cleanText(payload.window_id),
    trigger: null,
    at: asTime(line.timestamp),
    summary,
    keptTexts: asList(payload.replacement_history)
      .map((item) => textsOf(asList(asFields(item)?.content)))
      .filter((text) => text !== '' && text !== summary),
  };
}

export function textsOf(parts: readonly unknown[]): string {
  return parts
    .map((part) => asText(asFields(part)?.text) ?? '')
    .filter((text) => text !== '')
    .join('\n\n');
}
