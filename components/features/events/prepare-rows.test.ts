import { describe, expect, it } from 'vitest';
import { testEvent } from '@/core/live/testing-rows';
import { eventHref, prepareRows } from './prepare-rows';

const rowsOf = (times: string[], zone: string) =>
  prepareRows(
    times.map((at, index) => testEvent(`e${index}`, { at })),
    zone,
  ).map((row) => (row.type === 'day' ? row.label : row.key));

describe('the rows of the stream', () => {
  it('begin each day of the viewer with its name', () => {
    const times = ['2026-11-22T00:30:00.000Z', '2026-11-21T23:30:00.000Z', '2026-11-21T22:30:00.000Z'];
    expect(rowsOf(times, 'UTC')).toEqual(['Sunday 22 Nov 2026', 'e0', 'Saturday 21 Nov 2026', 'e1', 'e2']);
    expect(rowsOf(times, 'Europe/Berlin')).toEqual([
      'Sunday 22 Nov 2026',
      'e0',
      'e1',
      'Saturday 21 Nov 2026',
      'e2',
    ]);
    expect(rowsOf([], 'UTC')).toEqual([]);
  });

  it('name a day of 25 hours once', () => {
    const times = ['2026-10-25T22:30:00.000Z', '2026-10-25T01:30:00.000Z', '2026-10-24T22:30:00.000Z'];
    expect(rowsOf(times, 'Europe/Berlin')).toEqual(['Sunday 25 Oct 2026', 'e0', 'e1', 'e2']);
  });

  it('count events past the days between them', () => {
    const rows = prepareRows(
      [
        testEvent('a', { at: '2026-11-22T10:00:00.000Z' }),
        testEvent('b', { at: '2026-11-20T10:00:00.000Z' }),
      ],
      'UTC',
    );
    expect(rows.flatMap((row) => (row.type === 'event' ? row.index : []))).toEqual([0, 1]);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(4);
  });

  it('lead to their place in their session', () => {
    const id = '6f1c7c4e-8f0a-5f1e-9d55-0d6d8f5f3a11';
    expect(eventHref({ sessionId: id, id: `${id}.c&d.restart` })).toBe(
      `/sessions/${id}?event=${id}.c%26d.restart`,
    );
  });
});
