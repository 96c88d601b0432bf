/** The state of a context in sentences, for an agent. */
import type { Session } from '../api/session';

type Status = Pick<
  Session,
  'state' | 'pressure' | 'used' | 'lastKnownUsed' | 'limit' | 'limitSource' | 'contextCount' | 'compactions'
> &
  Pick<Session, 'continuations' | 'nextBoundary' | 'forecast'> & { title?: string | null };

const BOUNDARIES = { compaction: 'Compaction', restart: 'Restart line', limit: 'Limit' } as const;

/** @param id of the session */
export function statusLines(id: string, status: Status): string[] {
  const { used, limit, pressure, nextBoundary: next, forecast, title } = status;
  const assumed = status.limitSource === 'assumed' ? ' (assumed)' : '';
  const size =
    used === null
      ? `Size unknown since the last boundary; ${status.lastKnownUsed ?? 'no'} tokens before.`
      : `${used} tokens in use${limit === null ? '' : ` of ${limit}${assumed}`}${pressure === null ? '' : `, ${Math.floor(pressure * 100)} %`}.`;
  const range = forecast?.turns
    ? ` in about ${forecast.turns.mid} turns (80 % range ${forecast.turns.low} to ${forecast.turns.high})`
    : '';
  return [
    `Session ${id}${title ? ` "${title}"` : ''}: ${status.state}. ${size}`,
    ...(next === null ? [] : [`${BOUNDARIES[next.kind]} at ${next.at} tokens, ${next.left} left${range}.`]),
    `Context ${status.contextCount} of this session. Compactions: ${status.compactions}, restarts: ${status.continuations}.`,
  ];
}
