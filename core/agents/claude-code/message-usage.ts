/** The usage of a message of Anthropic's API. Separate, so that the library does not load the transcript readers. */
import { asFields, asList, cleanText, type Fields } from '../fields';

export interface Counts {
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
}

export interface AdvisorCall extends Counts {
  model: string | null;
}

const COUNTS = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];

/** Absent and null fields count as 0. Null: a field is not an integer. */
export function readCounts(from: Fields | null): Counts | null {
  const count = (field: string) => (from?.[field] ?? 0) as number;
  const counts = {
    input: count('input_tokens'),
    output: count('output_tokens'),
    cacheRead: count('cache_read_input_tokens'),
    cacheCreation: count('cache_creation_input_tokens'),
  };
  return Object.values(counts).every(Number.isSafeInteger) ? counts : null;
}

export function sizeOf({ input, output, cacheRead, cacheCreation }: Counts): number {
  return Math.max(0, input) + Math.max(0, cacheCreation) + Math.max(0, cacheRead) + Math.max(0, output);
}

/**
 * The steps of a message with server-side tools or compactions. The message's own counts are the sum of `messages`, and
 * exclude `compactions` and `advisors`. Steps of unknown types are left out.
 */
export function readIterations(usage: Fields) {
  const steps = asList(usage.iterations).map(asFields);
  const of = (type: string) => steps.filter((step) => step?.type === type) as Fields[];
  const advisors = of('advisor_message').flatMap((step): AdvisorCall[] => {
    const counts = readCounts(step);
    return counts === null ? [] : [{ ...counts, model: cleanText(step.model, 200) }];
  });
  return { messages: of('message'), compactions: of('compaction'), advisors };
}

/** The calls of a message's advisors, with ids that are the same in each source. A step without tokens is no call. */
export function callsOfAdvisors(message: string | null, advisors: readonly AdvisorCall[]) {
  return advisors.flatMap(({ model, ...usage }, place) => {
    const call = message === null ? null : `${message}#advisor-${place + 1}`;
    return sizeOf(usage) === 0 ? [] : [{ call, model, usage }];
  });
}

/** Whether a usage states only zeros. The client writes one for a command without a call, such as `/compact`. */
export function isZeroUsage(usage: unknown): boolean {
  const fields = asFields(usage);
  const counts = COUNTS.map((name) => fields?.[name] ?? null).filter((count) => count !== null);
  return counts.length > 0 && counts.every((count) => count === 0);
}
