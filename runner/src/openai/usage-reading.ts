import type { ReadingBasis } from '../../../core/protocol/items';
import { readCounts, type UsageVendor } from '../usage/vendor-shapes';
import { type Fields, isAbsent } from './read-value';

/** What one call spent, tokens. The cached part is in no other figure; reasoning is part of `output`. */
export interface CallUsage {
  /** Prompt without what was read from the prompt cache or written to it. */
  input: number;
  output: number;
  cacheRead: number;
  cacheCreation: number;
}

/** What a response, chunk or event states about its call. */
export interface UsageReading {
  /** Id of the response, as the provider gave it; null without one. */
  call: string | null;
  /** Model that answered; null where it is not named. */
  model: string | null;
  /** null: a total alone was stated, which says nothing about what was spent on either side. */
  usage: CallUsage | null;
  /** Size of the context after the call, tokens: the stated total, else prompt + completion. null: none is stated. */
  contextTokens: number | null;
  /** `input`: the output was not stated, so the size is the prompt's alone. */
  basis: Exclude<ReadingBasis, 'estimate'>;
}

/** What a vendor calls the parts of its usage object. */
export interface UsageNames {
  prompt: string;
  completion: string;
  total: string;
}

/**
 * Turns one usage object into deltas and a reading.
 * @returns null when it states nothing, as placeholders in the chunks of a stream do.
 * @throws UsageCountError for a figure that is no whole number of at most 2^53−1 in size, naming the field.
 */
export function readCallUsage(
  usage: Fields,
  vendor: UsageVendor,
  names: UsageNames,
): Pick<UsageReading, 'usage' | 'contextTokens' | 'basis'> | null {
  const { prompt, completion, total } = names;
  const states = (name: string) => !isAbsent(usage[name]);
  if (!states(prompt) && !states(completion) && !states(total)) return null;
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, contextTokens } = readCounts(
    usage,
    vendor,
  );
  const isSpending = states(prompt) || states(completion);
  return {
    usage: isSpending
      ? {
          input: inputTokens,
          output: outputTokens,
          cacheRead: cacheReadTokens,
          cacheCreation: cacheCreationTokens,
        }
      : null,
    contextTokens,
    basis: states(completion) || states(total) ? 'total' : 'input',
  };
}
