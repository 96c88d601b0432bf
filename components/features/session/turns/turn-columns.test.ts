import { expect, it } from 'vitest';
import type { TurnRow } from '@/core/api/session';
import { rangeAround, turnRemarks, usedAfter } from './turn-columns';

const AT = Date.parse('2026-11-20T10:00:00Z');
const turn = (changes: Partial<TurnRow> = {}): TurnRow => ({
  number: 5,
  chain: 'main',
  context: 0,
  scope: 'main',
  call: null,
  at: new Date(AT).toISOString(),
  receivedAt: new Date(AT).toISOString(),
  model: null,
  usage: { input: 10, output: 5, cacheRead: 0, cacheCreation: 0 },
  cumulative: { input: 100, output: 50, cacheRead: 0 },
  contextTokens: 900,
  basis: 'total',
  limit: 1_000,
  limitSource: 'turn',
  flags: [],
  ...changes,
});

it('lists remarks on unusual turns only', () => {
  expect(turnRemarks(turn())).toBe('');
  expect(turnRemarks(turn({ flags: ['estimated', 'clock', 'negative'] }))).toBe(
    'estimated, clock off, negative count',
  );
  expect(turnRemarks(turn({ scope: 'side', limitSource: 'assumed', flags: ['untracked'] }))).toBe(
    'side call, not tracked, limit assumed',
  );
});

it('reads the context in the lens of the session', () => {
  expect(usedAfter(turn(), 'cumulative')).toBe(150);
  expect(usedAfter(turn({ flags: ['untracked'] }), 'cumulative')).toBeNull();
  expect(usedAfter(turn(), 'snapshot')).toBe(900);
  expect(usedAfter(turn({ flags: ['readingIgnored'] }), 'snapshot')).toBeNull();
});

it('shows a turn with its neighbours, at least a minute', () => {
  expect(rangeAround(turn(), () => undefined)).toEqual({ from: AT - 30_000, to: AT + 30_000 });
  const at = (number: number) =>
    number > 0 && number <= 7
      ? turn({ number, at: new Date(AT + (number - 5) * 60_000).toISOString() })
      : undefined;
  expect(rangeAround(turn(), at)).toEqual({ from: AT - 240_000, to: AT + 120_000 });
});
