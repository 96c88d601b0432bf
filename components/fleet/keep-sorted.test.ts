import { describe, expect, it } from 'vitest';
import type { Session } from '@/core/api/session';
import { SORT_KEYS } from './fleet-query';
import { createKeptSort } from './keep-sorted';
import { compareRanked, rankSession, sortSessions } from './sort-sessions';
import { MADE_AT, makeBoundary, makeForecast, makeSession } from './testing/make-session';

const FLEET = 10_000;

/** Each row by what tells its object from another of the same session. */
const names = (sessions: readonly Session[]) => sessions.map(({ id, used }) => `${id} ${used}`);

function make(index: number, turn: number) {
  const step = (index * 7_919 + turn * 104_729) % 200_000;
  return makeSession(index, {
    used: step,
    tokensPerMinute: step % 5_000,
    contextCount: (step % 9) + 1,
    nextBoundary: makeBoundary(step % 3 === 0 ? null : (step % 600) / 10),
    liveness: step % 11 === 0 ? 'idle' : 'live',
  });
}

describe('the kept order', () => {
  it('is that of a whole sort after every change, in every order', () => {
    for (const key of SORT_KEYS) {
      for (const reversed of [false, true]) {
        const sort = createKeptSort();
        let sessions = Array.from({ length: 120 }, (_, index) => make(index, 0));
        for (let turn = 1; turn <= 12; turn += 1) {
          expect(names(sort(sessions, key, reversed, MADE_AT))).toEqual(
            names(sortSessions(sessions, key, reversed, MADE_AT)),
          );
          // Some change, one goes, one comes; in turn 6 all change.
          sessions = sessions.map((session, index) =>
            turn === 6 || (index + turn) % 17 === 0 ? make(Number(session.key.slice(8)), turn) : session,
          );
          sessions.splice(turn * 3, 1);
          sessions.push(make(1_000 + turn, turn));
        }
      }
    }
  });

  it('follows another question and a filter, and comes back', () => {
    const sort = createKeptSort();
    const all = Array.from({ length: 200 }, (_, index) => make(index, 0));
    const few = all.filter((_, index) => index % 3 === 0);
    for (const [sessions, key] of [
      [all, 'boundary'],
      [few, 'boundary'],
      [few, 'pressure'],
      [all, 'pressure'],
      [[], 'pressure'],
      [all, 'boundary'],
    ] as const) {
      expect(names(sort(sessions, key, false, MADE_AT))).toEqual(
        names(sortSessions(sessions, key, false, MADE_AT)),
      );
    }
  });

  it('moves who says nothing any more behind those at work, and asks nobody else', () => {
    let ranks = 0;
    const sort = createKeptSort((...args) => {
      ranks += 1;
      return rankSession(...args);
    });
    const minutesAgo = (minutes: number) => new Date(MADE_AT - minutes * 60_000).toISOString();
    const counting = (index: number, lastTurnAt: string) =>
      makeSession(index, { nextBoundary: makeBoundary(index), forecast: makeForecast(index), lastTurnAt });
    const sessions = [counting(1, minutesAgo(1.5)), counting(2, minutesAgo(0)), counting(3, minutesAgo(0.1))];
    const order = (now: number) => sort(sessions, 'boundary', false, now).map(({ key }) => key.at(-1));
    expect(order(MADE_AT)).toEqual(['1', '2', '3']);
    ranks = 0;
    expect(order(MADE_AT + 60_000), 'held').toEqual(['2', '3', '1']);
    expect(order(MADE_AT + 61_000)).toEqual(['2', '3', '1']);
    expect(ranks).toBe(1);
    expect(order(MADE_AT), 'a clock that was put right').toEqual(['1', '2', '3']);
  });

  it('ranks what changed alone, and compares by the number of changes, not by the size of the fleet', () => {
    let ranks = 0;
    let comparisons = 0;
    const sort = createKeptSort(
      (...args) => {
        ranks += 1;
        return rankSession(...args);
      },
      (a, b) => {
        comparisons += 1;
        return compareRanked(a, b);
      },
    );
    const sessions = Array.from({ length: FLEET }, (_, index) => make(index, 0));
    sort(sessions, 'boundary', false, MADE_AT);
    expect(ranks).toBe(FLEET);

    for (const changed of [0, 1, 125]) {
      const next = sessions.map((session, index) => (index < changed ? make(index, 1) : session));
      sort(sessions, 'boundary', false, MADE_AT);
      ranks = 0;
      comparisons = 0;
      sort(next, 'boundary', false, MADE_AT);
      expect(ranks).toBe(changed);
      expect(comparisons).toBeLessThanOrEqual(changed * 2 * Math.ceil(Math.log2(FLEET)));
    }
  });
});
