import type { Session } from '@/core/api/session';
import type { EventDetail } from '@/core/events/details';
import { formatAge } from './format-duration';

export { silenceMs } from '@/core/forecast/silence';

/** Whether a compaction started and has not ended. */
export function isCompacting({ compacting, liveness }: Pick<Session, 'compacting' | 'liveness'>): boolean {
  return compacting !== null && liveness === 'live';
}

export function silenceWords(silentMs: number): string {
  // In a sentence, `m` could mean metres or months.
  return `no turn for ${formatAge(silentMs).replace(/m$/, 'min')}`;
}

/** `idle, no turn for 38 min`, `ended`; empty for a live session. */
export function restingWords(
  { liveness, lastTurnAt, used }: Pick<Session, 'liveness' | 'lastTurnAt' | 'used'>,
  now: number,
): string {
  if (liveness === 'live') return '';
  if (liveness === 'ended') return 'ended';
  if (lastTurnAt !== null) return `idle, ${silenceWords(now - Date.parse(lastTurnAt))}`;
  // A reading of the context's size is possible without a turn.
  return used === null ? 'idle, no turn yet' : 'idle';
}

export const HELD_SENTENCE =
  'The countdown is paused: it counts active minutes and continues with the next turn';

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

/** The word before a number of lost turns; empty for an exact number. */
export function boundWord(bound: EventDetail<'turns_dropped'>['bound']): string {
  return bound === undefined ? '' : { atLeast: 'at least ', atMost: 'up to ', about: 'about ' }[bound];
}
