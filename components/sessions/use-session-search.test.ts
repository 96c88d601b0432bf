import { describe, expect, it } from 'vitest';
import { makeSession } from '../format/testing/make-session';
import { readAnswer } from './use-session-search';

const list = { sessions: [makeSession(1, { title: 'Upgrade React' })], total: 40, nextCursor: null };
const asking = { total: null, status: 'asking' };

describe('the search for sessions', () => {
  it.each([
    ['shows nothing before the first answer', '', null, false, false, { sessions: [], ...asking }],
    [
      'keeps the last answer that has the words',
      'rea',
      list,
      false,
      false,
      { sessions: list.sessions, ...asking },
    ],
    ['drops what lacks the words', 'red', list, false, false, { sessions: [], ...asking }],
    [
      'shows the answer to the query',
      'rea',
      list,
      true,
      false,
      { sessions: list.sessions, total: 40, status: 'ready' },
    ],
    ['fails with its query', 'a', null, true, true, { sessions: [], total: null, status: 'failed' }],
    ['asks again for another query', 'ab', null, false, true, { sessions: [], ...asking }],
  ])('%s', (_title, query, answer, isCurrent, failed, expected) => {
    expect(readAnswer(query, answer, isCurrent, failed)).toEqual(expected);
  });
});
