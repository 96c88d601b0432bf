/** The shared vectors, which the libraries in all languages must pass. */
import { expect, test } from 'vitest';
import snapshotVectors from '../../../core/vectors/snapshot.json';
import { casesOf, type SnapshotStep, type VectorCase } from '../../../core/vectors/vector-testing';
import vendorVectors from '../../../core/vectors/vendor-usage.json';
import {
  type CallUsage,
  ContextSnapshot,
  readAgentsUsage,
  readChatUsage,
  readResponsesUsage,
  type SnapshotSession,
  trackOpenAI,
  UsageCountError,
} from './index';

interface VendorExpectation {
  usage?: object | null;
  contextTokens?: number | null;
  refused?: { code: string; field: string };
}
type VendorCase = VectorCase<{ vendor: string; usage: unknown }, never, VendorExpectation>;

const READERS: Record<
  string,
  (usage: unknown) => { usage: CallUsage | null; contextTokens: number | null } | null
> = {
  'openai-chat': (usage) => readChatUsage({ usage }),
  'openai-responses': (usage) => readResponsesUsage({ usage }),
  'openai-agents': (usage) => readAgentsUsage(usage)[0] ?? null,
};
/** The vectors' short names of the counts in a refusal. */
const FIELDS: Record<string, string> = {
  inputTokens: 'input',
  outputTokens: 'output',
  cacheReadTokens: 'cacheRead',
  cacheCreationTokens: 'cacheCreation',
};

function reviveNumbers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('$number' in value) return Number(value.$number);
  if (Array.isArray(value)) return value.map(reviveNumbers);
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, reviveNumbers(entry)]));
}

const ours = casesOf<VendorCase>(vendorVectors).filter(({ given }) => given.vendor in READERS);

test('has vectors of all three OpenAI shapes', () => {
  expect(new Set(ours.map(({ given }) => given.vendor))).toEqual(new Set(Object.keys(READERS)));
});

test.each(ours)('vector of a vendor: $name', ({ given, expect: expected }) => {
  const read = READERS[given.vendor];
  const usage = reviveNumbers(given.usage);
  if (expected.refused !== undefined) {
    expect.assertions(1);
    try {
      read?.(usage);
    } catch (error) {
      if (!(error instanceof UsageCountError)) throw error;
      expect({ code: error.code, field: FIELDS[error.field] }).toEqual(expected.refused);
    }
    return;
  }
  const reading = read?.(usage) ?? null;
  const counts = reading?.usage && {
    input: reading.usage.inputTokens,
    output: reading.usage.outputTokens,
    cacheRead: reading.usage.cacheReadTokens,
    cacheCreation: reading.usage.cacheCreationTokens,
  };
  expect(counts ?? null).toEqual(expected.usage);
  expect(reading?.contextTokens ?? null).toBe(expected.contextTokens);
});

type SnapshotCase = VectorCase<{ limit: number }, SnapshotStep>;

// A snapshot refuses a window of 0 tokens.
test.each(casesOf<SnapshotCase>(snapshotVectors).filter(({ given }) => given.limit > 0))(
  'vector of single calls: $name',
  async ({ given, steps }) => {
    const snapshot = new ContextSnapshot({ limit: given.limit });
    const session: SnapshotSession = { turn: () => null };
    for (const { op, kind, scope, totalTokens, estimate, expect: expected } of steps) {
      if (op === 'boundary') snapshot.startContext(kind);
      else {
        const usage = totalTokens === null ? null : { total_tokens: totalTokens };
        const client = {
          chat: { completions: { create: async (_body: object) => ({ choices: [], usage }) } },
        };
        const options = {
          session,
          snapshot,
          scope: scope ?? 'main',
          estimates: (text: string) => text.length,
        };
        const tracked = trackOpenAI(client, options);
        const content = 'x'.repeat(estimate ?? 0);
        await tracked.chat.completions.create({ messages: [{ role: 'user', content }] });
      }
      expect(snapshot.contextTokens).toBe(expected.contextTokens);
      expect(snapshot.basis).toBe(expected.basis);
      expect(snapshot.pressure).toBe(expected.pressure);
    }
  },
);
