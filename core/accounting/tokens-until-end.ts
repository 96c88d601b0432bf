import type { Session } from '../api/session';

/** What is left until the client compacts, else until the limit; null: not known. */
export function tokensUntilEnd({
  used,
  limit,
  compactsAt,
}: Pick<Session, 'used' | 'limit' | 'compactsAt'>): number | null {
  const end = compactsAt ?? limit;
  return used === null || end === null ? null : Math.max(0, end - used);
}
