/** What the page reads, over the read API. */
import type { History, HistorySessionList } from '@/core/api/history';
import type { ShownRange } from './history-range';
import type { HistoryUrl } from './use-history-url';

/** Groups that are drawn; the others are figures in the table. */
const DRAWN_GROUPS = 40;
const SHOWN_SESSIONS = 50;

type Asked = Pick<HistoryUrl, 'project' | 'runner' | 'model'>;

function common({ from, to }: ShownRange, url: Asked): URLSearchParams {
  const params = new URLSearchParams({
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
  });
  for (const name of ['project', 'runner', 'model'] as const) {
    const value = url[name];
    if (value !== null) params.set(name, value);
  }
  return params;
}

export function historyPath(range: ShownRange, url: Asked & Pick<HistoryUrl, 'by'>, zone: string): string {
  const params = common(range, url);
  params.set('by', url.by);
  params.set('zone', zone);
  params.set('groups', String(DRAWN_GROUPS));
  return `/api/v1/history?${params}`;
}

export function historySessionsPath(range: ShownRange, url: Asked & Pick<HistoryUrl, 'sort'>): string {
  const params = common(range, url);
  params.set('sort', url.sort);
  params.set('limit', String(SHOWN_SESSIONS));
  return `/api/v1/history/sessions?${params}`;
}

/** The same figures as a file: each slot of each group, however many there are. */
export function exportPath(
  range: ShownRange,
  url: Asked & Pick<HistoryUrl, 'by'>,
  zone: string,
  format: 'csv' | 'json',
): string {
  const params = common(range, url);
  params.set('by', url.by);
  params.set('zone', zone);
  params.set('format', format);
  return `/api/v1/history?${params}`;
}

/** The sessions that met boundaries, as many as a file may hold. */
export function exportSessionsPath(range: ShownRange, url: Asked & Pick<HistoryUrl, 'sort'>): string {
  const params = common(range, url);
  params.set('sort', url.sort);
  params.set('limit', '500');
  params.set('format', 'csv');
  return `/api/v1/history/sessions?${params}`;
}

async function read<T>(path: string, signal: AbortSignal): Promise<T> {
  const answer = await fetch(path, { signal, headers: { accept: 'application/json' } });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return (await answer.json()) as T;
}

export const fetchHistory = (path: string, signal: AbortSignal) => read<History>(path, signal);
export const fetchHistorySessions = (path: string, signal: AbortSignal) =>
  read<HistorySessionList>(path, signal);
