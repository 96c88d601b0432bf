/** The read API, `/api/v1`, with a read token. */
import type { History } from '@/core/api/history';
import type { ContextList, EventDetails, EventList, SessionList, TurnList } from '@/core/api/responses';
import type { Session, TurnRow } from '@/core/api/session';
import type { TranscriptList, TranscriptRow } from '@/core/api/transcripts';
import type { SessionEvent } from '@/core/events/event';
import type { BarographServer } from './server';

type Query = Record<string, string>;

export type ReadApi = ReturnType<typeof readApi>;

export function readApi(server: BarographServer) {
  const get = async <T>(path: string, query: Query = {}): Promise<T> => {
    const answer = await fetch(`${server.url}/api/v1${path}?${new URLSearchParams(query)}`, {
      headers: { Authorization: `Bearer ${server.connection.readToken}` },
    });
    if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const getAll = async <Page extends { nextCursor: string | null }, T>(
    path: string,
    query: Query,
    pick: (page: Page) => T[],
  ): Promise<T[]> => {
    const all: T[] = [];
    let cursor: string | null = null;
    do {
      const page: Page = await get<Page>(path, { ...query, ...(cursor === null ? {} : { cursor }) });
      all.push(...pick(page));
      cursor = page.nextCursor;
    } while (cursor !== null);
    return all;
  };
  const sessions = (query: Query = {}) =>
    getAll<SessionList, Session>('/sessions', { limit: '500', ...query }, (page) => page.sessions);
  return {
    sessions,
    /** @throws Error unless exactly one session has the key */
    async session(key: string) {
      const found = (await sessions({ q: key })).filter((session) => session.key === key);
      const [one] = found;
      if (one === undefined || found.length > 1)
        throw new Error(`${found.length} sessions have the key ${key}`);
      return one;
    },
    contexts: async (id: string) => (await get<ContextList>(`/sessions/${id}/contexts`)).contexts,
    /** All turns and readings of all chains, in the order of their items. */
    turns: (id: string) =>
      getAll<TurnList, TurnRow>(
        `/sessions/${id}/turns`,
        { order: 'asc', limit: '1000' },
        (page) => page.turns,
      ),
    /** All events of the session, oldest first. */
    events: (id: string) =>
      getAll<EventList, SessionEvent>(
        `/sessions/${id}/events`,
        { order: 'asc', limit: '1000' },
        (page) => page.events,
      ),
    event: (id: string) => get<EventDetails>(`/events/${encodeURIComponent(id)}`),
    /** Archived transcripts, every version. */
    transcripts: () =>
      getAll<TranscriptList, TranscriptRow>('/transcripts', { limit: '500' }, (page) => page.transcripts),
    history: (query: Query = {}) => get<History>('/history', query),
  };
}
