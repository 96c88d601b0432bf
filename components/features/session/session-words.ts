import { clientNamed } from '@/core/agents/clients';
import type { Series, SeriesPoint } from '@/core/api/series';
import type { Context, Session } from '@/core/api/session';
import { lensPhrase } from '@/core/explain/lens-phrase';
import { formatPercent } from '../../format/format-percent';
import { formatExact, formatTokens } from '../../format/format-tokens';

/** Ids go into a command line: other characters would need quoting. */
const PLAIN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Command that reopens this session in its client; null: unknown. */
export function resumeCommand(session: Pick<Session, 'client' | 'clientSessionIds'>): string | null {
  const id = session.clientSessionIds.at(-1);
  const command = clientNamed(session.client)?.resume;
  return command === undefined || id === undefined || !PLAIN_ID.test(id) ? null : `${command} ${id}`;
}

/** The last two parts of a long path. */
export function shortFolder(folder: string): string {
  const home = folder.replace(/^\/(?:home|Users)\/[^/]+/, '~');
  const parts = home.split('/');
  return parts.length <= 4 ? home : `…/${parts.slice(-2).join('/')}`;
}

/** @param contexts of the main chain */
export function unknownReason({ lastKnownUsed }: Session, contexts: readonly Context[]): string {
  const ended = contexts.findLast(({ endedBy }) => endedBy !== null);
  const since = ended === undefined ? 'no reading yet' : `since the ${ended.endedBy}`;
  return lastKnownUsed === null ? since : `${since}; last known ${formatTokens(lastKnownUsed)}`;
}

/**
 * Explains the value of another lens with this session's numbers.
 * @param point the last point of that lens; null: that lens has no point
 */
export function lensSentence(session: Session, lens: Series['lens'], point: SeriesPoint | null): string {
  const isTurn = point?.turns === 1;
  return lensPhrase(session, {
    lens,
    used: point?.used ?? null,
    limit: point?.limit ?? session.limit,
    cacheRead: isTurn ? point.cacheRead : null,
    turn: isTurn ? point.n : null,
  })
    .map((part) => {
      if (typeof part === 'string') return part;
      if ('atMs' in part) return new Date(part.atMs).toISOString();
      return part.unit === 'share' ? formatPercent(part.value) : formatExact(part.value);
    })
    .join('');
}

/**
 * Turns since the open context passed a line of `line` tokens; 0: with the last turn. Null: the context is below the
 * line, or a thinned point hides the passing turn.
 */
export function turnsSincePassed(points: readonly SeriesPoint[], line: number): number | null {
  const last = points.at(-1);
  const isPast = ({ used, context }: SeriesPoint) =>
    used !== null && used >= line && context === last?.context;
  if (last === undefined || !isPast(last)) return null;
  const reached = points[points.findLastIndex((point) => !isPast(point)) + 1] ?? last;
  return reached.turns === 1 ? last.n - reached.n : null;
}
