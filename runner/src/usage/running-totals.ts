import type { UsageCounts } from './vendor-shapes';

const FIELDS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens'] as const;

/** Turns the totals that some vendors report for a whole thread into what each turn spent. */
export class RunningTotals {
  #last: UsageCounts | null = null;

  /** Increase since the last totals, tokens. Totals that fell belong to a new thread and count in full. */
  advance(totals: UsageCounts): UsageCounts {
    const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = totals;
    const last = this.#last;
    this.#last = { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens };
    if (last === null || FIELDS.some((field) => totals[field] < last[field])) return this.#last;
    return {
      inputTokens: inputTokens - last.inputTokens,
      outputTokens: outputTokens - last.outputTokens,
      cacheReadTokens: cacheReadTokens - last.cacheReadTokens,
      cacheCreationTokens: cacheCreationTokens - last.cacheCreationTokens,
    };
  }

  /** A new thread begins. */
  clear(): void {
    this.#last = null;
  }
}
