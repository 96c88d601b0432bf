import { describe, expect, it } from 'vitest';
import { NO_FILTERS, type TranscriptsQuery, transcriptsSearch } from './transcripts-query';

const query = (fields: Partial<TranscriptsQuery>): TranscriptsQuery => ({
  ...NO_FILTERS,
  sort: 'at',
  order: 'desc',
  ...fields,
});

describe('the question to the API', () => {
  it('is empty without filters, and leaves out the usual order', () => {
    expect(transcriptsSearch(query({}), 'UTC')).toBe('');
    expect(transcriptsSearch(query({ sort: 'bytes', order: 'asc' }), 'UTC')).toBe('sort=bytes&order=asc');
  });

  it('asks for days by the viewer’s clocks, the last one whole', () => {
    const day = new Date('2026-11-03T00:00:00Z');
    const search = new URLSearchParams(transcriptsSearch(query({ from: day, to: day }), 'Asia/Tokyo'));
    expect(search.get('from')).toBe('2026-11-02T15:00:00.000Z');
    expect(search.get('to')).toBe('2026-11-03T14:59:59.999Z');
  });
});
