import { describe, expect, it } from 'vitest';
import { changedPath, comparePath, readCompareUrl, writeCompareUrl } from './compare-url';

const ID = '00000000-0000-4000-8000-000000000001';
const OTHER = '00000000-0000-4000-8000-000000000002';
const read = (search: string) => readCompareUrl(new URLSearchParams(search));

describe('the address of a comparison', () => {
  it('names two sessions, or contexts of them', () => {
    expect(read(`a=${ID}&b=${ID}.12`)).toEqual({
      a: { session: ID, context: null },
      b: { session: ID, context: 12 },
      by: 'turns',
      unit: 'percent',
    });
  });

  it('comes back as it was written, without what is at its default', () => {
    const search = `?a=${ID}.0&b=${OTHER}&by=minutes&unit=tokens`;
    expect(writeCompareUrl(read(search))).toBe(search);
    expect(writeCompareUrl(read(`?a=${ID}&by=turns&unit=percent`))).toBe(`?a=${ID}`);
    expect(writeCompareUrl(read('?a=&b=%20&by=never'))).toBe('');
  });

  it('keeps what is no id, so that the page can say so', () => {
    expect(read('a=nonsense.x').a).toEqual({ session: 'nonsense.x', context: null });
  });

  it('changes one thing and keeps the others', () => {
    const url = read(`a=${ID}&b=${OTHER}&by=minutes`);
    expect(changedPath(url, { a: null })).toBe(`/compare?b=${OTHER}&by=minutes`);
    expect(comparePath({ session: ID, context: 3 })).toBe(`/compare?a=${ID}.3`);
  });
});
