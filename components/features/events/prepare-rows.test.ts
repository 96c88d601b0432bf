import { expect, it } from 'vitest';
import { testEvent } from '@/core/live/testing-rows';
import { prepareRows } from './prepare-rows';

it.each([
  ['UTC', ['Sunday 22 Nov 2026', 0, 'Saturday 21 Nov 2026', 1, 2]],
  ['Europe/Berlin', ['Sunday 22 Nov 2026', 0, 1, 'Saturday 21 Nov 2026', 2]],
])('begins each day of the viewer in %s with its name', (zone, expected) => {
  const times = ['2026-11-22T00:30:00.000Z', '2026-11-21T23:30:00.000Z', '2026-11-21T22:30:00.000Z'];
  const rows = prepareRows(
    times.map((at, index) => testEvent(`e${index}`, { at })),
    zone,
  );
  expect(rows.map((row) => ('day' in row ? row.day : row.index))).toEqual(expected);
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
});
