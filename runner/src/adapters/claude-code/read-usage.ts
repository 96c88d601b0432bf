import { asFields, type Fields } from './read-fields';

/** Tokens of one API call as a line states them. */
export interface CallUsage {
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
  /**
   * The last of several `iterations` of type "message": a server-side tool loop re-reads its context, so
   * the sums above are spending, and only this one tells the context's size. Null: one message.
   */
  last: { input: number; output: number; cacheRead: number; cacheCreation: number } | null;
}

const COUNTS = [
  ['input', 'input_tokens'],
  ['output', 'output_tokens'],
  ['cacheRead', 'cache_read_input_tokens'],
  ['cacheCreation', 'cache_creation_input_tokens'],
] as const;

/** The name of the field that is no whole number, or the usage. An absent or null field counts as 0. */
export function readUsage(usage: Fields): CallUsage | { invalid: string } {
  const counts = readCounts(usage);
  if ('invalid' in counts) return counts;
  const messages = Array.isArray(usage.iterations)
    ? usage.iterations.map(asFields).filter((entry) => entry?.type === 'message')
    : [];
  const lastEntry = messages.length > 1 ? messages.at(-1) : undefined;
  if (lastEntry === undefined) return { ...counts, last: null };
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

/** The context's size after the call, tokens: the sum of all four counts of its last message. */
export function contextTokensOf(usage: CallUsage): number {
  const of = usage.last ?? usage;
  return [of.input, of.cacheCreation, of.cacheRead, of.output].reduce((sum, n) => sum + Math.max(0, n), 0);
}
