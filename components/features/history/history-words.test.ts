import { expect, it } from 'vitest';
import { boundaryRhythm, rangeLabel, slotLabel } from './history-words';
import { sessionPlace } from './thrash-table';

const at = (day: number, hour = 0, minute = 0) => Date.UTC(2026, 10, day, hour, minute);

it.each([
  [at(20, 13), at(20, 14), 'Europe/Berlin', '20 Nov, 14:00–15:00'],
  [at(19, 23), at(20, 23), 'Europe/Berlin', '20 Nov'],
  [at(16), at(23), 'UTC', '16–22 Nov'],
  [at(30), at(37), 'UTC', '30 Nov–6 Dec'],
])('a slot from %d to %d in %s reads %s %s', (from, to, zone, label) => {
  expect(slotLabel(from, to, zone)).toBe(label);
});

it('a day is a day also when the clocks change', () => {
  expect(slotLabel(Date.UTC(2026, 9, 24, 22), Date.UTC(2026, 9, 25, 23), 'Europe/Berlin')).toBe('25 Oct');
});

it('a range names its day once where it has only one', () => {
  expect(rangeLabel(at(20, 8), at(20, 9, 30), 'UTC')).toBe('20 Nov 2026, 08:00–09:30');
  expect(rangeLabel(at(20, 8), at(21, 8), 'UTC')).toBe('20 Nov 2026, 08:00 – 21 Nov 2026, 08:00');
});

it('a range that moves on with time ends now, not with the slot that is being filled', () => {
  expect(rangeLabel(at(20, 8), at(20, 9, 30), 'UTC', true)).toBe('20 Nov 2026, 08:00 – now');
});

it.each([
  [{ turns: 100, compactions: 4, restarts: 1 }, 'Compacted every 25 turns.'],
  [{ turns: 30, compactions: 0, restarts: 3 }, 'Restarted every 10 turns.'],
  [{ turns: 3, compactions: 3, restarts: 0 }, 'Compacted every turn.'],
  [{ turns: 90, compactions: 1, restarts: 1 }, ''],
])('describes the rhythm of %o as “%s”', (figures, sentence) => {
  expect(boundaryRhythm(figures)).toBe(sentence);
});

it('links a row to its session around the event, with the event open', () => {
  const id = '5f2d3f8e-0000-5000-8000-000000000000';
  const mark = {
    event: `${id}.cause.thrash`,
    kind: 'thrash',
    at: '2026-10-20T14:03:00.000Z',
    sentence: '',
  } as const;
  expect(sessionPlace({ id, mark })).toBe(
    `/sessions/${id}?from=2026-10-20T13%3A18%3A00.000Z&to=2026-10-20T14%3A48%3A00.000Z&event=${mark.event}`,
  );
  expect(sessionPlace({ id, mark: null })).toBe(`/sessions/${id}`);
});
