import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { TurnRow } from '@/core/api/session';
import { formatExact } from '../../../format/format-tokens';
import { TURN_COLUMNS } from './turn-columns';

const AT = '2026-11-20T10:00:00.000Z';
const place = { number: 5, chain: 'main', context: 0, scope: 'main', call: null, at: AT, receivedAt: AT };
const sums = { contextTokens: 900, basis: 'total', limit: 1_000, limitSource: 'turn' };
const usage = { input: 10, output: 5, cacheRead: 0, cacheCreation: 0 };
const cumulative = { input: 100, output: 50, cacheRead: 0 };
const turn = (changes: Partial<TurnRow>) =>
  ({ ...place, ...sums, model: null, usage, cumulative, flags: [], ...changes }) as TurnRow;

const draw = (header: string, changes: Partial<TurnRow>, lens: 'cumulative' | 'snapshot' = 'snapshot') => {
  const column = TURN_COLUMNS.find((one) => one.header === header);
  return renderToStaticMarkup(column?.draw(turn(changes), { lens, zone: 'UTC' })).replaceAll(/<[^>]*>/g, '');
};

it.each<[string, Partial<TurnRow>]>([
  ['', {}],
  ['estimated, wrong clock, negative count', { flags: ['estimated', 'clock', 'negative'] }],
  [`reading ${formatExact(41_255_898)} ignored`, { flags: ['readingIgnored'], contextTokens: 41_255_898 }],
  ['side call, not tracked, limit assumed', { scope: 'side', limitSource: 'assumed', flags: ['untracked'] }],
])('remarks on unusual turns only: %s', (words, changes) => {
  expect(draw('remarks', changes)).toBe(words);
});

it.each<['cumulative' | 'snapshot', TurnRow['flags'], string]>([
  ['cumulative', [], '150'],
  ['cumulative', ['untracked'], '–'],
  ['snapshot', [], '900'],
  ['snapshot', ['readingIgnored'], '–'],
])('reads the context in the %s lens, flags %s', (lens, flags, words) => {
  expect(draw('used', { flags }, lens)).toBe(words);
});
