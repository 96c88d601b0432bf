import { describe, expect, it } from 'vitest';
import type { Note } from '@/core/api/notes';
import { pointOf } from '../../charts/series-fixture';
import { sessionOf } from '../../format/testing/session-fixture';
import { sheetWords } from './save-sheet';

const minute = 60_000;
const points = Array.from({ length: 40 }, (_, index) => pointOf({ n: index + 1 }));
type Input = Parameters<typeof sheetWords>[0];
const input: Input = {
  session: sessionOf(),
  points,
  notes: [],
  url: { from: null, to: null },
  now: 41 * minute,
  zone: 'UTC',
};
const words = (fields: Partial<Input> = {}) => {
  const { title, facts, notes } = sheetWords({ ...input, ...fields });
  return [title, ...facts, ...notes].join('\n').replaceAll(/[\u00a0\u202f]/g, ' ');
};
const noteOf = (id: string, at: number): Note => ({
  id,
  sessionId: '00000000-0000-4000-8000-000000000001',
  at: new Date(at * minute).toISOString(),
  turn: at,
  text: `note ${id}`,
  author: 'ann',
  createdAt: new Date(0).toISOString(),
  editedAt: null,
  editedBy: null,
  version: 1,
});

describe('sheetWords', () => {
  it('names the session, its program, the scale with its source and the range', () => {
    for (const part of [
      'Line-level attribution',
      'demo · claude-opus-4-5 · Claude Code 2.1.7 · soph-mbp',
      '100 % = limit 200 000 tokens, model table',
      'restart line 90 %',
      'client compacts at 167 000',
      'snapshot lens',
      'turns 1 to 40, the whole session',
      'Barograph, 1 Jan 1970, 00:41:00 UTC',
    ]) {
      expect(words()).toContain(part);
    }
    expect(words({ session: sessionOf({ limit: null }) })).toContain('no known limit: tokens, no percentage');
    expect(words({ points: [] })).toContain('no turn in this range');
  });

  it('lists the notes within the zoomed range, oldest first, 24 at most', () => {
    const zoomed = words({
      notes: [noteOf('c', 12), noteOf('b', 11), noteOf('a', 1)],
      url: { from: 10 * minute, to: 15 * minute },
    });
    expect(zoomed).toContain('1 Jan 1970, 00:10:00 UTC to 1 Jan 1970, 00:15:00 UTC · turns 10 to 15 ·');
    expect(zoomed).toMatch(/00:11:00 UTC, turn 11, ann: note b\n.*note c$/);
    expect(words({ notes: Array.from({ length: 30 }, (_, index) => noteOf(`n${index}`, 1)) })).toContain(
      '6 more notes',
    );
  });
});

it.each([
  ['Überprüfung der Branch!', 'barograph-uberprufung-der-branch-1970-01-01'],
  ['../../etc/passwd', 'barograph-etc-passwd-1970-01-01'],
  ['東京', 'barograph-1970-01-01'],
])('names the file of %s', (title, name) => {
  expect(sheetWords({ ...input, session: sessionOf({ title }) }).fileName).toBe(name);
});
