import { describe, expect, it } from 'vitest';
import type { SessionList } from '@/core/api/responses';
import { makeSession } from '../fleet/testing/make-session';
import { fromAnswer } from './use-palette-sessions';

const list: SessionList = {
  sessions: [makeSession(1, { title: 'Upgrade React' })],
  total: 40,
  nextCursor: null,
};

describe('what the palette shows of the server’s last answer', () => {
  it('is nothing so far before the first one', () => {
    expect(fromAnswer(null, '')).toEqual({ sessions: [], total: null, status: 'asking' });
  });

  it('stays while another query is on its way, as far as it has the words', () => {
    expect(fromAnswer({ query: 're', list }, 'rea')).toEqual({
      sessions: list.sessions,
      total: null,
      status: 'asking',
    });
    expect(fromAnswer({ query: 're', list }, 'red').sessions).toEqual([]);
    expect(fromAnswer({ query: 'rea', list }, 'rea')).toEqual({
      sessions: list.sessions,
      total: 40,
      status: 'ready',
    });
  });

  it('is a failure only for the query that failed', () => {
    expect(fromAnswer({ query: 'a', list: null }, 'a').status).toBe('failed');
    expect(fromAnswer({ query: 'a', list: null }, 'ab').status).toBe('asking');
  });
});
