/**
 * Derives a compaction's own call, which no line records. The totals that the client writes when a process ends include
 * this call. The call is the difference between the totals and the calls of the file, if nothing else ran.
 */
import { asCount, asFields, cleanText, type Fields } from '../fields';
import type { Counts } from './line';

interface Compacted {
  id: string;
  at: number;
  preTokens: number;
}

const EMPTY = {
  /** The newest totals, by model. Null: the file contains copied calls of another session. */
  stated: {} as Record<string, Counts> | null,
  /** Usage of the calls since the newest totals, by model. */
  spent: {} as Record<string, Counts>,
  compacted: [] as Compacted[],
  model: null as string | null,
  hasAgents: false,
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
const NONE: Counts = { input: 0, output: 0, cacheRead: 0, cacheCreation: 0 };

export function createCosts(saved?: CostState) {
  let state: CostState = structuredClone(saved ?? EMPTY);
  return {
    state: () => state,
    spend(model: string | null, usage: Counts): void {
      if (model === null) return;
      state.model = model;
      state.spent[model] = combine(state.spent[model] ?? NONE, usage, 1);
    },
    compact(compacted: Compacted): void {
      state.compacted.push(compacted);
    },
    /** The totals contain calls of another session. */
    inherit(): void {
      state.stated = null;
    },
    noteAgent(): void {
      state.hasAgents = true;
    },
    /** @returns the calls of the compactions since the last totals, as one call; null if the difference is not exact */
    total(line: Fields): (Compacted & { model: string; usage: Counts }) | null {
      const totals = readTotals(line);
      const { stated, spent, compacted, model, hasAgents } = state;
      state = { ...structuredClone(EMPTY), stated: totals, model };
      const last = compacted.at(-1);
      if (stated === null || last === undefined || model === null || hasAgents) return null;
      const added = combine(totals[model] ?? NONE, stated[model] ?? NONE, -1);
      const usage = combine(added, spent[model] ?? NONE, -1);
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
    // The totals name the window, `[1m]`; messages do not.
    return [cleanText(name.replace(/\[\w+\]$/, ''), 200) ?? '', Object.fromEntries(counts)];
  });
  return Object.fromEntries(models);
}
