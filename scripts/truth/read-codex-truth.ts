import * as z from 'zod';
import type { Totals } from '../../core/accounting/types';
import type { Expected } from './measure-by-api';

const sums = z.object({
  input_tokens: z.number(),
  cached_input_tokens: z.number(),
  cache_write_input_tokens: z.number(),
  output_tokens: z.number(),
});

const sessionMeta = z.object({ id: z.string(), cli_version: z.string() });

/** The truth of one Codex rollout. Figures of calls copied from a parent are marked, or left out (`live`). */
export const codexTruth = z.object({
  format: z.literal('codex-rollout-jsonl'),
  file: z.string(),
  session_metas: z.tuple([sessionMeta], sessionMeta),
  first_timestamp: z.string(),
  forked: z.boolean(),
  api_calls_live: z.number(),
  totals_live: sums,
  compactions: z.array(
    z.object({
      last_occupancy_before: z.number().nullable(),
      post_occupancy_estimate: z.number().nullable(),
      replayed: z.boolean(),
    }),
  ),
  contexts: z.array(
    z.object({
      api_calls: z.number(),
      cumulative: sums,
      peak_occupancy: z.number().nullable(),
      last_occupancy: z.number().nullable(),
    }),
  ),
  peak_occupancy: z.number().nullable(),
  final_occupancy: z.number().nullable(),
  calls: z.array(
    z.object({
      timestamp: z.string(),
      model: z.string().nullable(),
      context: z.number(),
      usage: sums,
      occupancy: z.number(),
      model_context_window: z.number().nullable(),
      replayed: z.boolean(),
    }),
  ),
});
export type CodexTruth = z.infer<typeof codexTruth>;

/** Expected numbers of a rollout. The contexts and readings of a fork are left out, because they include copied calls. */
export function expectRollout(truth: CodexTruth): Expected {
  const live = truth.calls.filter(({ replayed }) => !replayed);
  const [{ id, cli_version }] = truth.session_metas;
  const isOwn = !truth.forked;
  return {
    facts: { clientSessionIds: id, clientVersion: cli_version, startedAt: truth.first_timestamp },
    main: totalsOf(truth.api_calls_live, truth.totals_live),
    side: { calls: 0, input: 0, output: 0, cacheRead: 0, cacheCreation: 0 },
    compactions: truth.compactions
      .filter(({ replayed }) => !replayed)
      .map(({ last_occupancy_before: preTokens, post_occupancy_estimate: postTokens }) => ({
        trigger: 'auto',
        preTokens,
        postTokens,
      })),
    calls: live.map((call) => ({
      ...totalsOf(1, call.usage),
      at: call.timestamp,
      model: call.model,
      context: isOwn ? call.context : call.context - (live[0]?.context ?? 0),
      contextTokens: call.occupancy,
      limit: call.model_context_window,
    })),
    ...(isOwn && {
      peak: truth.peak_occupancy,
      last: truth.final_occupancy,
      contexts: truth.contexts.map(
        ({ api_calls, cumulative, peak_occupancy: peak, last_occupancy: last }) => ({
          ...totalsOf(api_calls, cumulative),
          ...{ peak, last },
        }),
      ),
      chains: {},
    }),
  };
}

function totalsOf(calls: number, from: z.infer<typeof sums>): Totals {
  const {
    input_tokens: prompt,
    cached_input_tokens: cacheRead,
    cache_write_input_tokens: cacheCreation,
  } = from;
  const input = prompt - cacheRead - cacheCreation;
  return { calls, input, output: from.output_tokens, cacheRead, cacheCreation };
}
