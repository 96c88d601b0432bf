/** What the table of turns reads, over the read API. */
import type { ContextList, TurnList } from '@/core/api/responses';
import type { Context, TurnRow } from '@/core/api/session';

/** Which turns of a session. */
export interface TurnFilter {
  id: string;
  chain: string;
  /** Null: all contexts of the chain. */
  context: number | null;
}

/** Numbers of the first and the last turn that a filter leaves; both counted. */
export interface TurnExtent {
  first: number;
  last: number;
}

async function read<T>(path: string, signal: AbortSignal): Promise<T> {
  const answer = await fetch(path, { signal, headers: { accept: 'application/json' } });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return (await answer.json()) as T;
}

function turnsPath({ id, chain, context }: TurnFilter, rest: Record<string, string>): string {
  const params = new URLSearchParams({ chain, counted: 'yes', ...rest });
  if (context !== null) params.set('context', String(context));
  return `/api/v1/sessions/${encodeURIComponent(id)}/turns?${params}`;
}

/** At most `limit` turns from number `turn` on. */
export async function fetchTurns(
  filter: TurnFilter,
  { turn, limit }: { turn: number; limit: number },
  signal: AbortSignal,
): Promise<TurnRow[]> {
  const path = turnsPath(filter, { turn: String(turn), limit: String(limit) });
  return (await read<TurnList>(path, signal)).turns;
}

/** Null: the filter leaves no turn. */
export async function fetchExtent(filter: TurnFilter, signal: AbortSignal): Promise<TurnExtent | null> {
  const [first, last] = await Promise.all(
    (['asc', 'desc'] as const).map(async (order) => {
      const list = await read<TurnList>(turnsPath(filter, { order, limit: '1' }), signal);
      return list.turns[0]?.number;
    }),
  );
  return first === undefined || last === undefined ? null : { first, last };
}

/** Contexts of all chains: what the table can be narrowed to. */
export async function fetchAllContexts(id: string, signal: AbortSignal): Promise<Context[]> {
  const path = `/api/v1/sessions/${encodeURIComponent(id)}/contexts`;
  return (await read<ContextList>(path, signal)).contexts;
}

/** Where a file of the session is handed over. */
export function exportPath(id: string, list: 'turns' | 'events' | 'notes', format: 'csv' | 'json'): string {
  return `/api/v1/sessions/${encodeURIComponent(id)}/${list}?format=${format}`;
}
