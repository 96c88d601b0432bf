import { describe, expect, it } from 'vitest';
import { prepareSteps } from './prepare-steps';
import { callOf, outlineOf } from './testing/outline';

describe('the size of the context beside each message', () => {
  it('grows per call, starts over after a compaction, and is separate per sub-agent', () => {
    const steps = prepareSteps(
      outlineOf([], {
        calls: [
          callOf(1, 50_000),
          callOf(2, 8_000, 1),
          callOf(4, 60_000),
          callOf(7, 20_000),
          callOf(8, 9_000, 1),
        ],
        compactions: [
          {
            entry: 6,
            summary: 7,
            at: null,
            trigger: 'auto',
            preTokens: null,
            postTokens: null,
            durationMs: null,
          },
        ],
      }),
    );
    expect([0, 1, 2, 3, 4].map(steps.before)).toEqual([null, null, 50_000, null, 8_000]);
    expect(steps.before(9)).toBeNull();
  });
});
