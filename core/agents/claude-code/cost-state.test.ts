import { expect, it } from 'vitest';
import { createCosts } from './cost-state';

const MAIN = 'claude-sonnet-4-5-20250929';
const SMALL = 'claude-haiku-4-5-20251001';
const usage = { input_tokens: 50, output_tokens: 7, cache_read_input_tokens: 0 };
const totals = {
  modelUsage: {
    [`${MAIN}[1m]`]: { inputTokens: 160, outputTokens: 117, cacheReadInputTokens: 1_000 },
    [SMALL]: { inputTokens: 9_000, outputTokens: 90 },
  },
};

/** The compaction's call after a main call of 10 input, 10 output and the result of a sub-agent. */
function ownCall(result: Record<string, unknown>, saved?: object) {
  const costs = createCosts(saved as Parameters<typeof createCosts>[0]);
  costs.spend(MAIN, { input: 10, output: 10, cacheRead: 0, cacheCreation: 0 });
  costs.spendAgent({ agentId: 'a', ...result });
  costs.state.compacted.push({ id: 'b', at: 1, preTokens: 2_000 });
  return costs.total(totals)?.usage ?? null;
}

it('subtracts the one call of a sub-agent without tools from the totals', () => {
  const own = { input: 100, output: 100, cacheRead: 1_000, cacheCreation: 0 };
  expect(ownCall({ resolvedModel: MAIN, totalToolUseCount: 0, usage })).toEqual(own);
});

it('derives a compaction’s call while sub-agents of another model run', () => {
  const own = { input: 150, output: 107, cacheRead: 1_000, cacheCreation: 0 };
  expect(ownCall({ resolvedModel: SMALL, totalToolUseCount: 4, usage })).toEqual(own);
  expect(ownCall({ resolvedModel: SMALL, status: 'async_launched' })).toEqual(own);
});

it.each([
  ['of the same model used tools', { resolvedModel: `${MAIN}[1m]`, totalToolUseCount: 1, usage }],
  ['of an unknown model ran', { totalToolUseCount: 0, usage }],
])('derives no call if a sub-agent %s', (_, result) => {
  expect(ownCall(result)).toBeNull();
});
