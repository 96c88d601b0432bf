import { createSerializer } from 'nuqs/server';
import { describe, expect, it } from 'vitest';
import { COMPARE_PARSERS, loadCompareUrl } from './compare-url';

const ID = '00000000-0000-4000-8000-000000000001';
const OTHER = '00000000-0000-4000-8000-000000000002';
const write = createSerializer(COMPARE_PARSERS);

describe('the address of a comparison', () => {
  it('names two sessions, or two contexts', () => {
    expect(loadCompareUrl(`?a=${ID}&b=${ID}.12`)).toEqual({
      a: { session: ID, context: null },
      b: { session: ID, context: 12 },
      by: 'turns',
      unit: 'percent',
    });
  });

  it('survives a round trip, without defaults', () => {
    const search = `?a=${ID}.0&b=${OTHER}&by=minutes&unit=tokens`;
    expect(write(loadCompareUrl(search))).toBe(search);
    expect(write(loadCompareUrl('?a=&b=%20&by=never'))).toBe('');
  });

  it('keeps an invalid id for the page to report', () => {
    expect(loadCompareUrl('?a=nonsense.x').a).toEqual({ session: 'nonsense.x', context: null });
  });
});
