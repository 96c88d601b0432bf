/** Streams of items for property tests: every type, in plausible and implausible orders. */

import type { Item, ItemType } from '../protocol/items';
import { fc } from '../testing/property-runs';

/** An item without seq and session. */
export type Draft = { type: ItemType; at: number } & Record<string, unknown>;

const tokens = fc.integer({ min: -50, max: 60_000 });
const size = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 0, max: 260_000 }) },
  { weight: 1, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1_900_000, max: 4_100_000 }) },
  { weight: 1, arbitrary: fc.constant(41_255_898) },
);
const chain = fc.constantFrom('main', 'main', 'main', 'agent-1');
const at = fc.integer({ min: 1_700_000_000_000, max: 1_700_000_000_000 + 7_200_000 });
const usage = fc.option(
  fc.record(
    { input: tokens, output: tokens, cacheRead: tokens, cacheCreation: tokens },
    { requiredKeys: ['input'] },
  ),
  { freq: 9 },
);
const basis = fc.constantFrom('total', 'total', 'input', 'estimate');
const limit = fc.constantFrom(0, 100_000, 200_000);
const limitSource = fc.constantFrom('client', 'status_line', 'api_error');
const trigger = fc.constantFrom('auto', 'manual');

function draft(type: ItemType, fields: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[]) {
  return fc
    .tuple(at, fc.record(fields, { requiredKeys }))
    .map(([time, item]): Draft => ({ ...item, type, at: time }));
}

const turn = draft(
  'turn',
  {
    chain,
    scope: fc.constantFrom('main', 'main', 'side'),
    usage,
    contextTokens: size,
    basis,
    model: fc.constantFrom('claude-opus-4-5', 'claude-opus-4-6', 'made-up'),
    limit,
    limitSource,
    inherited: fc.constantFrom(false, false, false, true),
  },
  ['usage'],
);
const compaction = draft(
  'compaction',
  {
    chain,
    trigger,
    state: fc.constantFrom('pending', 'confirmed', 'confirmed', 'blocked', 'failed'),
    preTokens: size,
    postTokens: size,
    boundary: fc.constantFrom('b1', 'b2', 'b3'),
  },
  ['trigger', 'state'],
);
const others = [
  draft('reading', { chain, contextTokens: size, basis, limit, limitSource }, ['contextTokens']),
  draft('restart', { reason: fc.constant('threshold') }, []),
  draft('clear', { chain }, []),
  draft('gap', { chain, count: fc.integer({ min: 1, max: 9 }) }, ['count']),
  draft('session_start', { lens: fc.constantFrom('snapshot', 'cumulative'), limit }, []),
  draft('session_end', { reason: fc.constant('logout') }, []),
  draft('compress', { before: size, after: size }, ['before', 'after']),
  draft(
    'command_state',
    {
      command: fc.constant('0190b0a0-0000-7000-8000-00000000000c'),
      action: fc.constantFrom('restart', 'say'),
      state: fc.constantFrom('received', 'done', 'refused'),
    },
    ['command', 'action', 'state'],
  ),
  draft('archive', { state: fc.constantFrom('stored', 'skipped', 'failed') }, ['state']),
];

/** Drafts of a stream in order of seq. */
export const arbitraryDrafts: fc.Arbitrary<Draft[]> = fc.array(
  fc.oneof({ weight: 12, arbitrary: turn }, { weight: 3, arbitrary: compaction }, ...others),
  { minLength: 1, maxLength: 40 },
);

/** Completes a draft with its seq. */
export function itemOf(draftItem: Draft, seq: number): Item {
  return { ...draftItem, seq, session: 's' } as unknown as Item;
}
