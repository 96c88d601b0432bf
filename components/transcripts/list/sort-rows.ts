/** The list's own order, for rows that come in parts: what a search finds further back stands where it belongs. */
import type { TranscriptRow } from '@/core/api/transcripts';

type Row = Pick<
  TranscriptRow,
  'at' | 'sessionTitle' | 'sessionKey' | 'bytes' | 'lines' | 'messages' | 'secrets'
>;

/** Longer names are told apart by their first letters alone, as the server does. */
const NAME = 200;

/** @param question as the API is asked, with `sort` and `order`. Rows of one value keep the order they have. */
export function sortRows<T extends Row>(rows: readonly T[], question: string): T[] {
  const params = new URLSearchParams(question);
  const sort = params.get('sort') ?? 'at';
  const way = params.get('order') === 'asc' ? 1 : -1;
  const keyed = rows.map((row) => ({ row, value: keyOf(row, sort) }));
  keyed.sort((a, b) => {
    // What has no value comes last, whichever way.
    if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
    if (a.value === b.value) return 0;
    return a.value < b.value ? -way : way;
  });
  return keyed.map(({ row }) => row);
}

function keyOf(row: Row, sort: string): number | string | null {
  switch (sort) {
    case 'session':
      return (row.sessionTitle ?? row.sessionKey).toLowerCase().slice(0, NAME);
    case 'bytes':
    case 'lines':
    case 'messages':
    case 'secrets':
      return row[sort];
    default:
      return Date.parse(row.at);
  }
}
