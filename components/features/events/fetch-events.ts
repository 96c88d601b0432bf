/** Pages of the stream, over the read API. */
import type { EventList } from '@/core/api/responses';
import type { OlderEvents } from '@/core/live/event-stream';

const PAGE = '200';

/**
 * @param search the question as the API takes it (events-query.ts)
 * @param older where the page begins; null: with the newest
 * @throws Error when the server does not answer with a page
 */
export async function fetchEvents(
  search: string,
  older: OlderEvents,
  signal: AbortSignal,
): Promise<EventList> {
  const params = new URLSearchParams(search);
  params.set('limit', PAGE);
  for (const [name, value] of Object.entries(older ?? {})) {
    const asked = params.get(name);
    // Older ones of a stretch that ends before end with it.
    if (name !== 'to' || asked === null || value < asked) params.set(name, value);
  }
  const answer = await fetch(`/api/v1/events?${params}`, {
    signal,
    headers: { accept: 'application/json' },
  });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return (await answer.json()) as EventList;
}
