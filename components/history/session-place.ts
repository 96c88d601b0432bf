import type { HistorySession } from '@/core/api/history';

/** What is shown before and after the event. */
const AROUND_MS = 45 * 60_000;

/** Where the session's page shows what a row is about: the event, opened, with what was around it. */
export function sessionPlace({ id, mark }: Pick<HistorySession, 'id' | 'mark'>): string {
  const page = `/sessions/${encodeURIComponent(id)}`;
  if (mark === null) return page;
  const at = Date.parse(mark.at);
  const params = new URLSearchParams({
    from: new Date(at - AROUND_MS).toISOString(),
    to: new Date(at + AROUND_MS).toISOString(),
    event: mark.event,
  });
  return `${page}?${params}`;
}
