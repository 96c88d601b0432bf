/** For tests: fast-check generates items of every kind for some sessions. */

import type { Item } from '../../core/protocol/items';
import { fc } from '../../core/testing/property-runs';
import { NOON, numbered, type Words } from './ingest-testing';

const tokens = fc.integer({ min: 0, max: 60_000 });
const chain = fc.option(fc.constantFrom('agent-a', 'agent-b'), { nil: undefined, freq: 4 });
const model = fc.option(fc.constantFrom('claude-opus-4-1', 'gpt-5'), { nil: undefined });

type Bare = Omit<Words, 'session' | 'at'> & Record<string, unknown>;

const usage = fc.option(
  fc.record(
    { input: tokens, output: tokens, cacheRead: tokens, cacheCreation: tokens },
    { requiredKeys: ['input'] },
  ),
  { nil: null, freq: 8 },
);
const size = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 0, max: 250_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 2_100_000, 2_200_000, 41_255_898) },
);
const composition = fc.record({
  roles: fc.array(
    fc.record({ role: fc.constantFrom('system', 'user', 'tool'), messages: fc.nat(99), tokens }),
    { maxLength: 3 },
  ),
  suggestions: fc.constant([]),
});
const turn = fc.record(
  {
    type: fc.constant('turn' as const),
    chain,
    scope: fc.option(fc.constant('side' as const), { nil: undefined, freq: 5 }),
    model,
    usage,
    contextTokens: fc.option(size, { nil: undefined }),
    basis: fc.constantFrom('total' as const, 'input' as const, 'estimate' as const),
    limit: fc.option(fc.constantFrom(200_000, 1_000_000), { nil: undefined, freq: 5 }),
    limitSource: fc.constantFrom('client' as const, 'status_line' as const, 'api_error' as const),
    inherited: fc.option(fc.constant(true), { nil: undefined, freq: 8 }),
    composition: fc.option(composition, { nil: undefined }),
  },
  { requiredKeys: ['type', 'usage'] },
);
const reading = fc.record(
  {
    type: fc.constant('reading' as const),
    chain,
    contextTokens: size,
    basis: fc.constantFrom('total' as const, 'estimate' as const),
    limit: fc.option(fc.constantFrom(100_000, 200_000), { nil: undefined }),
    limitSource: fc.constantFrom('client' as const, 'status_line' as const),
  },
  { requiredKeys: ['type', 'contextTokens'] },
);
const compaction = fc.record(
  {
    type: fc.constant('compaction' as const),
    chain,
    trigger: fc.constantFrom('auto' as const, 'manual' as const),
    state: fc.constantFrom('pending' as const, 'confirmed' as const, 'confirmed' as const, 'failed' as const),
    preTokens: fc.integer({ min: 1, max: 200_000 }),
    postTokens: fc.nat(50_000),
    boundary: fc.option(fc.constantFrom('b1', 'b2'), { nil: undefined }),
  },
  { requiredKeys: ['type', 'trigger', 'state'] },
);
const other = fc.oneof(
  fc.constant({ type: 'restart' as const, reason: 'full' }),
  fc.record({ type: fc.constant('clear' as const), chain }, { requiredKeys: ['type'] }),
  fc.constant({ type: 'compress' as const, before: 100, after: 50 }),
  fc.constant({ type: 'archive' as const, state: 'stored' as const, path: '/tmp/a.jsonl', bytes: 12 }),
  fc.record({ type: fc.constant('gap' as const), count: fc.integer({ min: 1, max: 9 }) }),
  fc.constant({ type: 'session_end' as const, reason: 'logout' }),
  fc.record(
    {
      type: fc.constant('session_start' as const),
      title: fc.constantFrom('One', 'Two'),
      lens: fc.constantFrom('cumulative' as const, 'snapshot' as const),
      limit: fc.constantFrom(100_000, 200_000),
      model,
    },
    { requiredKeys: ['type'] },
  ),
);

const word = fc.oneof(
  { weight: 12, arbitrary: turn },
  { weight: 2, arbitrary: reading },
  { weight: 2, arbitrary: compaction },
  { weight: 3, arbitrary: other },
) as fc.Arbitrary<Bare>;

/**
 * Items of a few sessions in one ordered stream. Every turn has a call id. About a quarter of the turns are reported
 * again later, with their final output.
 */
export function itemsOf(sessions: readonly string[], maxLength: number): fc.Arbitrary<Item[]> {
  const entry = fc.record({
    word,
    session: fc.constantFrom(...sessions),
    grows: fc.integer({ min: 0, max: 11 }),
  });
  return fc.array(entry, { minLength: 1, maxLength }).map((entries) => {
    const words: Words[] = [];
    const growing: { due: number; word: Words }[] = [];
    entries.forEach(({ word: bare, session, grows }, index) => {
      const at = NOON + index * 7_000;
      const named = bare.type === 'turn' ? { ...bare, call: `call-${index}` } : bare;
      words.push({ ...named, session, at } as Words);
      if (named.type === 'turn' && grows < 3)
        growing.push({ due: index + grows, word: grown(named, session, at) });
      for (const { word: final } of growing.filter(({ due }) => due === index)) words.push(final);
    });
    return numbered(words);
  });
}

/** A second report of the same call, with its final usage, reading and composition. */
function grown(bare: Bare, session: string, at: number): Words {
  const usage = bare.usage as { input: number; output?: number } | null;
  return {
    ...bare,
    session,
    at: at + 500,
    ...(bare.composition === undefined ? {} : { composition: { ...bare.composition, roles: [] } }),
    usage: { ...(usage ?? { input: 5 }), output: (usage?.output ?? 0) + 77 },
  } as Words;
}

/** Places at which `pieces` cuts a list. */
export const cuts = fc.array(fc.nat(), { maxLength: 6 });

export function pieces<T>(items: readonly T[], at: readonly number[]): T[][] {
  const bounds = [...new Set(at.map((cut) => cut % (items.length + 1)))].sort((a, b) => a - b);
  return [0, ...bounds].map((from, index) => items.slice(from, bounds[index] ?? items.length));
}
