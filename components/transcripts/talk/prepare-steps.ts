/** The context's size from call to call of a chain. */
import type { TranscriptOutline } from '@/core/api/transcript-contents';

export interface CallSteps {
  /** Its size after the call before, in the same context of the same chain; null: this is the first one. */
  before: (call: number) => number | null;
}

export function prepareSteps({ calls, compactions }: TranscriptOutline): CallSteps {
  const before: (number | null)[] = [];
  const last = new Map<number, number>();
  let passed = 0;
  calls.forEach((call, index) => {
    // One that is not known keeps its place in the list, and nothing else.
    if (call.contextTokens === 0) {
      before[index] = null;
      return;
    }
    // A boundary of the file is one of the main chain; after it a context begins.
    while (passed < compactions.length && (compactions[passed]?.entry ?? 0) < call.entry) {
      last.delete(0);
      passed += 1;
    }
    before[index] = last.get(call.chain) ?? null;
    last.set(call.chain, call.contextTokens);
  });
  return { before: (call) => before[call] ?? null };
}
