import type { ReadingBasis } from '../../../core/protocol/items';
import { isAbsent } from './read-value';

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
  /** Size of the context after the call, tokens: `total_tokens`. null where the figures make none. */
  contextTokens: number | null;
  /** `input`: the output was not stated, so the size is the prompt's alone. */
  basis: Exclude<ReadingBasis, 'estimate'>;
}

/** The figures of one usage object, by meaning. Whatever a vendor does not state is absent. */
export interface StatedCounts {
  prompt: unknown;
  completion: unknown;
  total: unknown;
  cached: unknown;
  cacheWrite: unknown;
  reasoning: unknown;
}

/**
 * Turns stated figures into deltas and a reading:
 * input = prompt − cached − cacheWrite, reading = total, else prompt + completion.
 *
 * @returns null when nothing is stated, or when a figure is no whole number of at most 2^53−1 in size: usage
 * that cannot be read counts as missing. A negative figure stays as it was reported.
 */
export function countUsage(
  stated: Readonly<StatedCounts>,
): Pick<UsageReading, 'usage' | 'contextTokens' | 'basis'> | null {
  if (!Object.values(stated).every((count) => isAbsent(count) || Number.isSafeInteger(count))) return null;
  const { prompt, completion, total, cached, cacheWrite, reasoning } = stated as Record<
    keyof StatedCounts,
    number | null | undefined
  >;
  if (isAbsent(prompt) && isAbsent(completion)) {
    if (isAbsent(total)) return null;
    return { usage: null, contextTokens: total >= 0 ? total : null, basis: 'total' };
  }
  const spent = (prompt ?? 0) + (completion ?? 0);
  const size = total ?? spent;
  // Some servers (xAI) count reasoning beside the completion: the total tells which way it was.
  const beside = reasoning !== undefined && reasoning !== null && total === spent + reasoning ? reasoning : 0;
  const usage = {
    input: (prompt ?? 0) - (cached ?? 0) - (cacheWrite ?? 0),
    output: (completion ?? 0) + beside,
    cacheRead: cached ?? 0,
    cacheCreation: cacheWrite ?? 0,
  };
  if (!Object.values(usage).every(Number.isSafeInteger) || !Number.isSafeInteger(size)) return null;
  return {
    usage,
    contextTokens: size >= 0 ? size : null,
    basis: isAbsent(completion) && isAbsent(total) ? 'input' : 'total',
  };
}
