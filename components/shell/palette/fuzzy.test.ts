import { expect, it } from 'vitest';
import { bestMatches } from './fuzzy';

it('finds by all words in any order, also beside the name, then by letters', () => {
  const items = [{ name: 'Doubt a rink' }, { name: 'Theme: dark', keywords: 'colour mode' }];
  const found = (query: string) => bestMatches(items, query).map(({ name }) => name);
  expect(found('dark theme')).toEqual(['Theme: dark']);
  expect(found('COLOUR')).toEqual(['Theme: dark']);
  expect(found('dark')).toEqual(['Theme: dark', 'Doubt a rink']);
  expect(found('')).toEqual(['Doubt a rink', 'Theme: dark']);
  expect(found('nothing is called this')).toEqual([]);
});

it.each([
  ['thdark', 'Theme: dark'],
  ['sttngs', 'Settings'],
  ['cplink', 'Copy link to this view'],
  ['crit', 'Show critical sessions'],
])('finds by the letters %s: %s', (query, found) => {
  const names = [
    'Theme: light',
    'Theme: dark',
    'Settings',
    'Copy link to this view',
    'Show critical sessions',
  ];
  const [best = null] = bestMatches(
    names.map((name) => ({ name })),
    query,
  ).map(({ name }) => name);
  expect(best).toBe(found);
});
