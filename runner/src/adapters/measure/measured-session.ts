/**
 * The numbers of one session in the form in which they are held against an independent expectation:
 * the truth of real transcripts, and the hand-written values of the fixtures.
 */
export interface MeasuredTotals {
  calls: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
}

export interface MeasuredContext extends MeasuredTotals {
  peak: number | null;
  last: number | null;
}

export interface MeasuredSession {
  main: MeasuredTotals;
  side: MeasuredTotals;
  /** Highest reading of the main chain, tokens; null without any. */
  peak: number | null;
  /** The main chain's reading now, tokens; null while unknown. */
  last: number | null;
  /** Contexts of the main chain, in order. */
  contexts: MeasuredContext[];
  /** Confirmed compactions of the main chain, in order. */
  compactions: { trigger: string; preTokens: number | null }[];
  /** Sub-agents by chain: sums over their contexts, highest and last reading (null for side calls). */
  chains: Record<string, MeasuredContext>;
}

export const noTotals = (): MeasuredTotals => ({
  calls: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheCreation: 0,
});

export function addTotals(sum: MeasuredTotals, more: MeasuredTotals): MeasuredTotals {
  return {
    calls: sum.calls + more.calls,
    input: sum.input + more.input,
    output: sum.output + more.output,
    cacheRead: sum.cacheRead + more.cacheRead,
    cacheCreation: sum.cacheCreation + more.cacheCreation,
  };
}

export interface Difference {
  /** Path of the value, as in `contexts.1.cacheRead`. */
  field: string;
  expected: unknown;
  actual: unknown;
}

/** Every value that differs, and how many were held against each other. */
export function compareSessions(expected: MeasuredSession, actual: MeasuredSession) {
  const wanted = flatten(expected);
  const found = flatten(actual);
  const fields = [...new Set([...wanted.keys(), ...found.keys()])];
  const differences: Difference[] = fields
    .filter((field) => wanted.get(field) !== found.get(field))
    .map((field) => ({ field, expected: wanted.get(field), actual: found.get(field) }));
  return { compared: fields.length, differences };
}

function flatten(value: unknown, path = '', into = new Map<string, unknown>()): Map<string, unknown> {
  if (typeof value !== 'object' || value === null) return into.set(path, value);
  for (const [name, inner] of Object.entries(value)) flatten(inner, path ? `${path}.${name}` : name, into);
  if (Array.isArray(value)) into.set(`${path}.length`, value.length);
  return into;
}
