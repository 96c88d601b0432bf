import { describe, expect, it } from 'vitest';
import type { TranscriptEntry } from '@/core/api/transcript-contents';
import { type EntryPages, entryIn, MOST_PAGES, missingFrom, withEntries } from './entry-pages';

const entries = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => ({ entry: from + index }) as TranscriptEntry);
const NONE: EntryPages = new Map();

describe('entries that were read', () => {
  it('are asked for by the page, from where reading broke off', () => {
    expect(missingFrom(NONE, [45, 46], 100)).toEqual({ from: 40, count: 40 });
    const part = withEntries(NONE, { from: 40, count: 40 }, entries(40, 50), 50);
    expect(missingFrom(part, [45, 46], 100)).toBeNull();
    expect(missingFrom(part, [49, 50], 100)).toEqual({ from: 50, count: 30 });
    const whole = withEntries(part, { from: 50, count: 30 }, entries(50, 80), 80);
    expect(missingFrom(whole, [40, 79], 100)).toBeNull();
    expect(entryIn(whole, 45)?.entry).toBe(45);
    expect(missingFrom(whole, [79, 80], 100)).toEqual({ from: 80, count: 20 });
  });

  it('end where the transcript ends, and nothing outside of it is asked for', () => {
    expect(missingFrom(NONE, [-1, 100, 200], 100)).toBeNull();
    const last = withEntries(NONE, { from: 80, count: 20 }, entries(80, 100), null);
    expect(missingFrom(last, [99], 100)).toBeNull();
  });

  it('are not asked for again and again where an answer brings none', () => {
    const none = withEntries(NONE, { from: 0, count: 40 }, [], 0);
    expect(missingFrom(none, [3], 100)).toBeNull();
    expect(entryIn(none, 3)).toBeUndefined();
  });

  it('are given up, those read longest ago first, when there are too many', () => {
    let pages = NONE;
    for (let page = 0; page <= MOST_PAGES; page += 1) {
      const from = page * 40;
      pages = withEntries(pages, { from, count: 40 }, entries(from, from + 40), from + 40);
    }
    expect(pages.size).toBe(MOST_PAGES);
    expect(entryIn(pages, 0)).toBeUndefined();
    expect(entryIn(pages, 40)?.entry).toBe(40);
  });
});
