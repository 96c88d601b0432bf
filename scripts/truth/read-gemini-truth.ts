import * as z from 'zod';
import { emptyTotals } from '../../core/accounting/counts';
import type { Totals } from '../../core/accounting/types';
import { highest } from '../../core/agents/testing/measure-sessions';
import type { Expected } from './measure-by-api';

const tokens = z.object({
  input: z.number(),
  output: z.number(),
  cached: z.number(),
  thoughts: z.number(),
  tool: z.number(),
});

/** The known numbers of one Gemini CLI session without compactions. */
export const geminiTruth = z.object({
  format: z.literal('gemini-cli-session-json'),
  file: z.string(),
  session_id: z.string(),
  first_timestamp: z.string(),
  api_calls: z.number(),
  totals: tokens,
  final_occupancy: z.number(),
  calls: z.array(z.object({ timestamp: z.string(), model: z.string(), tokens, occupancy: z.number() })),
});
type GeminiTruth = z.infer<typeof geminiTruth>;

export function expectGemini(truth: GeminiTruth): Expected {
  const { calls, final_occupancy: last } = truth;
  const main = totalsOf(truth.api_calls, truth.totals);
  const peak = highest(
    calls.map(({ occupancy }) => ({ ...emptyTotals(), peak: occupancy, last: occupancy })),
  );
  return {
    facts: { clientSessionIds: truth.session_id, clientVersion: null, startedAt: truth.first_timestamp },
    main,
    side: emptyTotals(),
    peak,
    last,
    contexts: [{ ...main, peak, last }],
    compactions: [],
    chains: {},
    calls: calls.map((call) => ({
      ...totalsOf(1, call.tokens),
      at: call.timestamp,
      model: call.model,
      context: 0,
      contextTokens: call.occupancy,
    })),
  };
}

function totalsOf(calls: number, { input, cached, tool, output, thoughts }: z.infer<typeof tokens>): Totals {
  return {
    calls,
    input: input + tool - cached,
    output: output + thoughts,
    cacheRead: cached,
    cacheCreation: 0,
  };
}
