import { describe, expect, it } from 'vitest';
import type { ProjectSettings } from '@/core/api/settings';
import type { OwnTranscriptSettings, RetentionPreview } from '@/core/api/transcript-settings';
import { TRANSCRIPT_SETTING_NAMES } from '@/core/transcript/keep-settings';
import {
  dueWords,
  type Fields,
  fieldText,
  findProblems,
  ownValues,
  readChange,
  retentionQuestion,
  retentionWords,
  windowRows,
  windowsInUse,
} from './project-fields';

const NONE = Object.fromEntries(
  TRANSCRIPT_SETTING_NAMES.map((name) => [name, null]),
) as OwnTranscriptSettings;
const kept: OwnTranscriptSettings = { ...NONE, maxArchiveBytes: 2 * 1024 ** 3, keepDays: 90 };
const own = { ...kept, elevated: null, warning: 0.7, critical: null, restartLine: 0.625 };

it('adds up the windows in use over projects, the most recent first', () => {
  const row = { model: 'm', tokens: 9, source: 'assumed', date: null } as const;
  const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'];
  const seen = [
    { ...row, project: 'p', sessions: 2, lastTurnAt: early },
    { ...row, project: 'q', model: 'other', sessions: 1, lastTurnAt: null },
    { ...row, project: 'q', sessions: 3, lastTurnAt: late },
  ];
  expect(windowsInUse(seen).map(({ model, sessions, lastTurnAt }) => [model, sessions, lastTurnAt])).toEqual([
    ['m', 5, late],
    ['other', 1, null],
  ]);
});

describe('the windows of a project', () => {
  const row = { project: 'p', model: 'm', tokens: 200_000, source: 'assumed', sessions: 2 } as const;
  const seen = [
    { ...row, date: null, lastTurnAt: null },
    { ...row, project: 'other', date: null, lastTurnAt: null },
  ];
  const settings = { project: 'p', windows: { m: 64_000, unused: 9 } } as unknown as ProjectSettings;

  it('are the limits that its sessions used, and its own windows that no session used', () => {
    expect(windowRows(settings, seen)).toEqual([
      seen[0],
      { ...seen[0], model: 'unused', tokens: 9, source: 'setting', sessions: 0 },
    ]);
  });

  it('are set, changed and removed by name, even if the name is that of another setting', () => {
    const own = ownValues('windows', settings);
    const typed = { 'windows.m': '', 'windows.unused': '9', 'windows.warning': '128 000' };
    expect(readChange(typed, own)).toEqual({ 'windows.m': null, 'windows.warning': 128_000 });
    expect(findProblems(readChange({ 'windows.warning': '128k', 'windows.m': '0' }, own))).toEqual({
      'windows.warning': 'must be a whole number',
      'windows.m': 'must be above 0',
    });
  });
});

describe('the fields of a project', () => {
  it('show percentages, sizes with a unit, and nothing for the default', () => {
    const names = ['warning', 'restartLine', 'elevated', 'maxArchiveBytes', 'keepDays'] as const;
    expect(names.map((name) => fieldText(name, own))).toEqual(['70', '62.5', '', '2 GiB', '90']);
  });

  it.each<[string, number]>([
    ['1 kB', 1_000],
    ['1 KiB', 1_024],
    ['500 MB', 500_000_000],
    ['100 GiB', 100 * 1024 ** 3],
    ['1500000001 B', 1_500_000_001],
  ])('reads %s in the largest exact unit', (text, bytes) => {
    expect(readChange({ keepStoredBytes: text }, own)).toEqual({ keepStoredBytes: bytes });
    expect(fieldText('keepStoredBytes', { keepStoredBytes: bytes })).toBe(text);
  });

  it('sends only differences, and null for an emptied field', () => {
    const same = { warning: '70', restartLine: '62.50', maxArchiveBytes: '2048 MiB' };
    expect(readChange(same, own)).toEqual({});
    expect(readChange({ warning: '', elevated: ' 40 %', critical: '87,5' }, own)).toEqual({
      warning: null,
      elevated: 0.4,
      critical: 0.875,
    });
    expect(readChange({ elevated: '29' }, own).elevated, 'without a rounding error').toBe(0.29);
    expect(readChange({ keepDays: ' ', maxArchives: '1 000', keepStoredBytes: '1,5gb' }, own)).toEqual({
      keepDays: null,
      maxArchives: 1_000,
      keepStoredBytes: 1_500_000_000,
    });
  });

  it.each<[Fields, string | undefined]>([
    [{ elevated: '40', restartLine: '110', keepDays: '' }, undefined],
    [{ elevated: 'half' }, 'must be a percentage, as in 75 or 62.5'],
    [{ elevated: '1e2' }, 'must be a percentage, as in 75 or 62.5'],
    [{ restartLine: '201' }, 'must be at most 200\u00a0%'],
    [{ maxArchiveBytes: '65 GiB' }, 'must be at most 64 GiB'],
    [{ keepStoredBytes: '12' }, 'must be a size with its unit, as in 500 MB or 20 GB'],
    [{ keepDays: '1.5' }, 'must be a whole number'],
    [{ keepPerSession: '0' }, 'must be above 0'],
  ])('%o has the problem %s', (typed, problem) => {
    expect(Object.values(findProblems(readChange(typed, own)))[0]).toBe(problem);
  });
});

describe('retention', () => {
  it.each([
    [{}, null],
    [{ maxArchives: 5 }, null],
    [{ keepPerSession: 5 }, 'keepDays=90&keepPerSession=5'],
    [{ keepDays: null }, null],
  ])('previews a change to %o as %s', (change, question) => {
    expect(retentionQuestion(change, kept)).toBe(question);
  });

  it('lists what is kept', () => {
    expect(retentionWords(NONE)).toBe('');
    expect(retentionWords({ ...kept, keepStoredBytes: 20_000_000_000, keepPerSession: 5 })).toBe(
      '90\u00a0days · 20 GB · newest 5 of a session',
    );
  });

  it('describes what is deleted, how much, from when, and why', () => {
    const span = { oldestAt: '2026-01-03T10:00:00.000Z', newestAt: '2026-03-04T10:00:00.000Z' };
    const preview: RetentionPreview = {
      kept: { project: 'p', transcripts: 40, bytes: 9_000_000, storedBytes: 1, oldestAt: null },
      due: { transcripts: 12, bytes: 3_100_000, byAge: 10, bySession: 0, byRoom: 2, ...span },
    };
    const day = (at: string) => at.slice(0, 10);
    expect(dueWords(preview, day)).toBe(
      'Deletes 12 of 40\u00a0transcripts (3.1\u00a0MB) from 2026-01-03 to 2026-03-04 within a minute.',
    );
    const none = { ...preview, due: { ...preview.due, transcripts: 0 } };
    expect(dueWords(none, day)).toBe('Deletes nothing now.');
  });
});
