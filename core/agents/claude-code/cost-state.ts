/**
 * Derives a compaction's own call, which no line records. The totals that the client writes when a process ends include
 * this call. The call is the difference between the totals and the calls of the file, if nothing else ran.
 */
import { asCount, asFields, cleanText, type Fields } from '../fields';
import { type Counts, readCounts } from './message-usage';

const EMPTY = {
  /** The newest totals and the calls since then, by model. Null: the file contains copied calls of another session. */
  expected: {} as Record<string, Counts> | null,
  /** The compactions since the newest totals. */
  compacted: [] as { id: string; at: number; preTokens: number }[],
  model: null as string | null,
  /** Models of sub-agents since the newest totals, except those of a single call. Null: a model is unknown. */
  agents: [] as string[] | null,
};
export type CostState = typeof EMPTY;

/** The request of a summary adds at most this many tokens to the context. */
const REQUEST_TOKENS = 10_000;
const NAMES = {
  input: 'inputTokens',
  output: 'outputTokens',
  cacheRead: 'cacheReadInputTokens',
  cacheCreation: 'cacheCreationInputTokens',
} as const;
const FIELDS = Object.keys(NAMES) as (keyof Counts)[];
export const NONE: Counts = { input: 0, output: 0, cacheRead: 0, cacheCreation: 0 };

export function createCosts(saved?: CostState) {
  const state: CostState = structuredClone({ ...EMPTY, ...saved });
  const add = (model: string, usage: Counts): void => {
    if (state.expected) state.expected[model] = combine(state.expected[model] ?? NONE, usage, 1);
  };
  return {
    state,
    spend(model: string | null, usage: Counts): void {
      if (model === null) return;
      state.model = model;
      add(model, usage);
    },
    spendAdvisor(model: string | null, usage: Counts): void {
      if (model !== null) add(model, usage);
    },
    /** Takes the result of a sub-agent. An agent without tools made one call, and the result has the call's usage. */
    spendAgent(result: Fields): void {
      const model = modelOf(cleanText(result.resolvedModel, 200));
      const fields = result.totalToolUseCount === 0 ? asFields(result.usage) : null;
      const usage = fields && readCounts(fields);
      if (model !== '' && usage) add(model, usage);
      else state.agents = model === '' ? null : (state.agents?.concat(model) ?? null);
    },
    /** @returns the calls of the compactions since the last totals, as one call; null if the difference is not exact */
    total(line: Fields) {
      const { expected, compacted, agents } = state;
      const model = state.model ?? '';
      const totals = readTotals(line);
      Object.assign(state, { expected: totals, compacted: [], agents: [] });
      const last = compacted.at(-1);
      if (expected === null || last === undefined || agents === null || agents.includes(model)) return null;
      const usage = combine(totals[model] ?? NONE, expected[model] ?? NONE, -1);
      const most = compacted.reduce((sum, { preTokens }) => sum + preTokens + REQUEST_TOKENS, 0);
      const isExact = FIELDS.every((field) => usage[field] >= 0) && usage.output > 0;
      const sent = usage.input + usage.cacheRead + usage.cacheCreation;
      return isExact && sent <= most ? { ...last, model, usage } : null;
    },
  };
}

/** `a + b`, or `a - b`. */
export function combine(a: Readonly<Counts>, b: Readonly<Counts>, sign: 1 | -1): Counts {
  return Object.fromEntries(FIELDS.map((field) => [field, a[field] + sign * b[field]])) as unknown as Counts;
}

function readTotals(line: Fields): Record<string, Counts> {
  const models = Object.entries(asFields(line.modelUsage) ?? {}).map(([name, value]) => {
    const fields = asFields(value);
    const counts = FIELDS.map((field) => [field, asCount(fields?.[NAMES[field]]) ?? 0]);
    return [modelOf(cleanText(name, 200)), Object.fromEntries(counts)];
  });
  return Object.fromEntries(models);
}

/** A model's name in totals and results may include the window, `[1m]`; its name in messages does not. */
const modelOf = (name: string | null): string => name?.replace(/\[\w+\]$/, '') ?? '';
