import { describe, expect, it } from 'vitest';
import { pointOf } from '../../charts/series-fixture';
import { sessionOf } from '../../format/testing/make-session';
import { sheetWords } from './save-sheet';

const minute = 60_000;
const points = Array.from({ length: 40 }, (_, index) => pointOf({ n: index + 1 }));
const wordsOf = (session = sessionOf(), of = points) =>
  sheetWords(session, of, { from: null, to: null }, 41 * minute, 'UTC');
const words = (...input: Parameters<typeof wordsOf>) => {
  const { title, facts } = wordsOf(...input);
  return [title, ...facts].join('\n').replaceAll(/[\u00a0\u202f]/g, ' ');
};
describe('sheetWords', () => {
  it('names the session, its program, the source of the scale, and the range', () => {
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
    expect(words(sessionOf({ limit: null }))).toContain('no known limit: tokens, no percentage');
    expect(words(sessionOf(), [])).toContain('no turn in this range');
  });
});

it.each([
  ['Überprüfung der Branch!', 'barograph-überprüfung-der-branch-1970-01-01'],
  ['../../etc/passwd', 'barograph-etc-passwd-1970-01-01'],
  ['東京', 'barograph-東京-1970-01-01'],
])('names the file of %s', (title, name) => {
  expect(wordsOf(sessionOf({ title })).fileName).toBe(name);
});
