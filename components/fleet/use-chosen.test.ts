import { describe, expect, it } from 'vitest';
import { toggled } from './use-chosen';

describe('the sessions that are chosen to be compared', () => {
  it('come and go by the same press, in the order of the choice', () => {
    expect(toggled([], 'a')).toEqual(['a']);
    expect(toggled(['a'], 'b')).toEqual(['a', 'b']);
    expect(toggled(['a', 'b'], 'a')).toEqual(['b']);
  });

  it('are two at most: a third takes the place of the first', () => {
    expect(toggled(['a', 'b'], 'c')).toEqual(['b', 'c']);
  });
});
