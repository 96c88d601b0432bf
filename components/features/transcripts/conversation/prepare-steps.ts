/** Context sizes between consecutive calls of a chain. */
import type { TranscriptOutline } from '@/core/api/transcript-contents';

export interface CallSteps {
  /** Size after the previous call in the same context and chain; null: the first call. */
  before: (call: number) => number | null;
}

export function prepareSteps({ calls, compactions }: TranscriptOutline): CallSteps {
  const before: (number | null)[] = [];
  const last = new Map<number, number>();
  let passed = 0;
  calls.forEach((call, index) => {
    // An unknown call is an empty placeholder.
    if (call.contextTokens === 0) {
      before[index] = null;
      return;
    }
    // A boundary ends the context of the main chain.
    while (passed < compactions.length && (compactions[passed]?.entry ?? 0) < call.entry) {
      last.delete(0);
      passed += 1;
    }
    before[index] = last.get(call.chain) ?? null;
    last.set(call.chain, call.contextTokens);
  });
  return { before: (call) => before[call] ?? null };
}
