import { expect, it } from 'vitest';
import { transcriptFixture } from '../testing-transcripts';
import { sortRows } from './sort-rows';

const rows = [
  transcriptFixture({ id: 'a', at: '2026-11-03T00:00:00Z', bytes: 5, sessionTitle: 'Pier' }),
  transcriptFixture({
    id: 'b',
    at: '2026-11-01T00:00:00Z',
    bytes: null,
    sessionTitle: null,
    sessionKey: 'anchor',
  }),
  transcriptFixture({ id: 'c', at: '2026-11-02T00:00:00Z', bytes: 9, sessionTitle: 'Zinc' }),
  transcriptFixture({ id: 'd', at: '2026-11-04T00:00:00Z', bytes: 5, sessionTitle: 'buoy' }),
];

it.each([
  ['', 'dacb'],
  ['order=asc', 'bcad'],
  ['sort=bytes', 'cadb'],
  ['sort=bytes&order=asc', 'adcb'],
  ['q=x&sort=session&order=asc', 'bdac'],
  ['sort=session', 'cadb'],
])(
  'rows asked for with "%s" stand in that order, those without a value last, equal ones as they were',
  (question, expected) => {
    expect(
      sortRows(rows, question)
        .map(({ id }) => id)
        .join(''),
    ).toBe(expected);
  },
);
