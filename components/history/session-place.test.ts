import { expect, it } from 'vitest';
import { readSessionUrl } from '../session/session-url';
import { boundaryRhythm } from './history-words';
import { sessionPlace } from './session-place';

const id = '5f2d3f8e-0000-5000-8000-000000000000';

it('a row leads to its session at that time, with the event opened', () => {
  const at = Date.UTC(2026, 9, 20, 14, 3);
  const mark = {
    event: `${id}.cause.thrash`,
    kind: 'thrash',
    at: new Date(at).toISOString(),
    sentence: 'Full.',
  } as const;
  const [path, search] = sessionPlace({ id, mark }).split('?');
  expect(path).toBe(`/sessions/${id}`);
  const url = readSessionUrl(new URLSearchParams(search));
  expect(url.event).toBe(mark.event);
  expect(url.from).toBeLessThan(at);
  expect(url.to).toBeGreaterThan(at);
  expect(sessionPlace({ id, mark: null })).toBe(`/sessions/${id}`);
});

it.each([
  [{ turns: 100, compactions: 4, restarts: 1 }, 'Compacted every 25 turns.'],
  [{ turns: 30, compactions: 0, restarts: 3 }, 'Restarted every 10 turns.'],
  [{ turns: 3, compactions: 3, restarts: 0 }, 'Compacted every turn.'],
  [{ turns: 90, compactions: 1, restarts: 1 }, ''],
])('of %o it is said: %s', (figures, sentence) => {
  expect(boundaryRhythm(figures)).toBe(sentence);
});
