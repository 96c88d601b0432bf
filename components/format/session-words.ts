import type { Session } from '@/core/api/session';
import { formatAge } from './format-duration';

export { silenceMs } from '@/core/forecast/silence';

/** Whether a compaction started and has not ended. */
export function isCompacting({ compacting, liveness }: Pick<Session, 'compacting' | 'liveness'>): boolean {
  return compacting !== null && liveness === 'live';
}

export function silenceWords(silentMs: number): string {
  return `no turn for ${formatAge(silentMs)}`;
}

/** `idle, no turn for 38 m`, `ended`; empty for a live session. */
export function restingWords(
  { liveness, lastTurnAt }: Pick<Session, 'liveness' | 'lastTurnAt'>,
  now: number,
): string {
  if (liveness === 'live') return '';
  if (liveness === 'ended') return 'ended';
  return lastTurnAt === null ? 'idle, no turn yet' : `idle, ${silenceWords(now - Date.parse(lastTurnAt))}`;
}

export const HELD_SENTENCE =
  'The countdown is held: it counts minutes of work and continues with the next turn';

const LIMIT_SOURCE: Record<Session['limitSource'], string> = {
  turn: 'from the turn',
  client: 'stated by the client',
  status_line: 'stated by the status line',
  api_error: 'stated by an API error',
  session: 'set for this session',
  setting: 'project setting',
  table: 'model table',
  learned: 'learned from a reading',
  assumed: 'assumed',
  none: '',
};

export function limitSign(source: Session['limitSource']): string {
  return source === 'assumed' ? '≈' : '';
}

export function limitSourceWords(source: Session['limitSource']): string {
  return LIMIT_SOURCE[source];
}
