import { describe, expect, it } from 'vitest';
import { createRowSlots } from './row-slots';

describe('the rows of a long list', () => {
  it('stay with their session, whatever the order does', () => {
    const slots = createRowSlots();
    expect(slots(['a', 'b', 'c'])).toEqual([0, 1, 2]);
    expect(slots(['c', 'a', 'b'])).toEqual([2, 0, 1]);
  });

  it('that leave the screen are taken for those that come, in their order', () => {
    const slots = createRowSlots();
    slots(['a', 'b', 'c', 'd']);
    expect(slots(['c', 'd', 'e', 'f'])).toEqual([2, 3, 0, 1]);
    expect(slots(['w', 'x', 'y', 'z'])).toEqual([2, 3, 0, 1]);
  });

  it('become more where more are drawn, and never two sessions have one', () => {
    const slots = createRowSlots();
    slots(['a', 'b']);
    const more = slots(['z', 'b', 'y', 'x']);
    expect(more[1]).toBe(1);
    expect(new Set(more).size).toBe(4);
    slots(['y']);
    expect(new Set(slots(['q', 'y', 'r', 's', 't'])).size).toBe(5);
  });

  it('begin anew after an empty list', () => {
    const slots = createRowSlots();
    slots(['a', 'b']);
    expect(slots([])).toEqual([]);
    expect(slots(['c'])).toEqual([0]);
  });
});
