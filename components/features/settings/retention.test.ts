import { describe, expect, it } from 'vitest';
import type { RetentionPreview } from '@/core/api/retention';
import type { OwnTranscriptSettings } from '@/core/api/transcript-settings';
import {
  dueWords,
  findKeptProblems,
  readKeptChange,
  retentionQuestion,
  retentionWords,
  sizeText,
  toKeptFields,
} from './retention';

const NONE: OwnTranscriptSettings = {
  maxArchiveBytes: null,
  maxStoredBytes: null,
  maxArchives: null,
  keepDays: null,
  keepTurnDays: null,
  keepStoredBytes: null,
  keepPerSession: null,
};
const own: OwnTranscriptSettings = { ...NONE, maxArchiveBytes: 2 * 1024 ** 3, keepDays: 90 };
const fields = (changes: Partial<ReturnType<typeof toKeptFields>> = {}) => ({
  ...toKeptFields(own),
  ...changes,
});

describe('the retention form', () => {
  it('shows sizes in the largest unit that is exact, and reads them back', () => {
    const sizes: [number, string][] = [
      [1_000, '1 kB'],
      [1_024, '1 KiB'],
      [500_000_000, '500 MB'],
      [100 * 1024 ** 3, '100 GiB'],
      [1_500_000_001, '1500000001 B'],
    ];
    for (const [bytes, text] of sizes) {
      expect(sizeText(bytes)).toBe(text);
      expect(readKeptChange(fields({ keepStoredBytes: text }), own)).toEqual({ keepStoredBytes: bytes });
    }
    expect(readKeptChange(fields({ keepStoredBytes: '1,5gb' }), own)).toEqual({
      keepStoredBytes: 1_500_000_000,
    });
  });

  it('sends only differences, and null for an emptied field', () => {
    expect(readKeptChange(fields(), own)).toEqual({});
    expect(readKeptChange(fields({ keepDays: ' ', maxArchives: '1 000' }), own)).toEqual({
      keepDays: null,
      maxArchives: 1_000,
    });
    expect(readKeptChange(fields({ maxArchiveBytes: '2048 MiB' }), own), 'the same').toEqual({});
  });

  it('finds invalid fields', () => {
    expect(findKeptProblems(fields())).toEqual({});
    expect(
      findKeptProblems(fields({ maxArchiveBytes: '65 GiB', keepStoredBytes: '12', keepDays: '1.5' })),
    ).toEqual({
      maxArchiveBytes: 'must be at most 64 GiB',
      keepStoredBytes: 'must be a size with its unit, as in 500 MB or 20 GB',
      keepDays: 'must be a whole number',
    });
    expect(findKeptProblems(fields({ keepPerSession: '0' }))).toEqual({
      keepPerSession: 'must be at least 1',
    });
  });

  it('asks for a preview only when the retention changes', () => {
    expect(retentionQuestion(fields(), own)).toBeNull();
    expect(retentionQuestion(fields({ maxArchives: '5' }), own)).toBeNull();
    expect(retentionQuestion(fields({ keepPerSession: '5' }), own)).toBe('keepDays=90&keepPerSession=5');
    expect(retentionQuestion(fields({ keepDays: '' }), own), 'none any more').toBeNull();
    expect(retentionQuestion(fields({ keepDays: 'x' }), own)).toBeNull();
  });
});

describe('retention in words', () => {
  it('lists what is kept', () => {
    expect(retentionWords(NONE)).toBe('');
    expect(retentionWords({ ...own, keepStoredBytes: 20_000_000_000, keepPerSession: 5 })).toBe(
      '90\u00a0days · 20 GB · newest 5 of a session',
    );
  });

  it('describes what is deleted, how much, from when, and why', () => {
    const kept = { project: 'p', transcripts: 40, bytes: 9_000_000, storedBytes: 1, oldestAt: null };
    const due = {
      transcripts: 0,
      bytes: 0,
      oldestAt: null,
      newestAt: null,
      byAge: 0,
      bySession: 0,
      byRoom: 0,
    };
    const words = (change: Partial<RetentionPreview['due']>, transcripts = 40) =>
      dueWords({ kept: { ...kept, transcripts }, due: { ...due, ...change } }, (at) => at.slice(0, 10));
    expect(words({})).toBe('Deletes nothing now: all 40 are within the retention.');
    expect(words({}, 0)).toBe('Deletes nothing now: no transcripts are stored.');
    expect(
      words({
        transcripts: 12,
        bytes: 3_100_000,
        byAge: 10,
        byRoom: 2,
        oldestAt: '2026-01-03T10:00:00.000Z',
        newestAt: '2026-03-04T10:00:00.000Z',
      }),
    ).toBe(
      'Deletes 12 of 40\u00a0transcripts (3.1\u00a0MB) from 2026-01-03 to 2026-03-04 within a minute: 10 too old, 2 beyond the size on disk.',
    );
  });
});
