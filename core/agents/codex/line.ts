/** Reads the lines of a rollout that report usage and compactions. */
import type { Boundary, EntryCall } from '../entry';
import { asCount, asFields, asList, asText, asTime, cleanText, type Fields, present } from '../fields';
import { humanText } from '../human-text';
import { splitPrompt } from '../split-prompt';

export interface Report {
  /** Null: all counts are 0, as after a compaction. `contextTokens` is then an estimate of what the compaction kept. */
  call: EntryCall | null;
  contextTokens: number;
  /** The thread's totals including this call. A report with the totals of the report before it is no new call. */
  totals: string;
  totalTokens: number | null;
  window: number | null;
}

/** The usage of one response, or an event with the thread's totals and the usage of the last call. */
export function readReport(line: Fields): Report | null {
  const payload = asFields(line.payload) ?? {};
  const isResponse = line.type === 'token_usage_record';
  const info = line.type === 'event_msg' && payload.type === 'token_count' ? asFields(payload.info) : null;
  const usage = asFields(isResponse ? payload.usage : info?.last_token_usage);
  if (usage === null) return null;
  const prompt = asCount(usage.input_tokens) ?? 0;
  const cached = asCount(usage.cached_input_tokens) ?? 0;
  const written = asCount(usage.cache_write_input_tokens) ?? 0;
  // The output includes its reasoning.
  const output = asCount(usage.output_tokens) ?? 0;
  const contextTokens = asCount(usage.total_tokens) ?? prompt + output;
  const id = cleanText(payload.response_id, 200) ?? '';
  const running = asFields(isResponse ? payload.thread_token_usage : info?.total_token_usage);
  const totals = running === null && isResponse ? id : JSON.stringify(running).slice(0, 500);
  const isEmpty = prompt + output + cached === 0;
  return {
    call: isEmpty
      ? null
      : {
          id: isResponse ? id : totals,
          model: null,
          counts: { ...splitPrompt(prompt, cached, written), output, contextTokens },
          isSide: false,
          source: isResponse ? 'response' : 'totals',
        },
    contextTokens,
    totals,
    totalTokens: asCount(running?.total_tokens),
    window: asCount(info?.model_context_window),
  };
}

export function readBoundary(line: Fields): Boundary | null {
  const payload = asFields(line.payload);
  if (line.type !== 'compacted' || payload === null) return null;
  const summary = asText(payload.message) || null;
  return {
    // Older clients give a compaction no id.
    id: cleanText(payload.window_id) ?? cleanText(line.timestamp),
    at: asTime(line.timestamp),
    trigger: null,
    preTokens: null,
    postTokens: null,
    durationMs: null,
    keptIds: [],
    keptTexts: asList(payload.replacement_history)
      .map((item) => textsOf(asList(asFields(item)?.content)))
      .filter((text) => text !== '' && text !== summary),
    summary,
    ...present({ ownCall: cleanText(payload.compaction_response_id, 200) }),
  };
}

/** Whether the client wrote a message of the user. Such a text starts with a tag or with the heading of AGENTS.md. */
export function isClientText(text: string): boolean {
  return text.trim() !== '' && humanText(text) === null;
}

/** Whether the model wrote an item as the summary of a compaction. */
export function isSummary(line: Fields): boolean {
  return asFields(line.metadata)?.compaction_output === true;
}

export function textsOf(parts: readonly unknown[]): string {
  return parts
    .map((part) => asText(asFields(part)?.text) ?? '')
    .filter((text) => text !== '')
    .join('\n\n');
}
