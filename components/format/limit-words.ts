import type { Session } from '@/core/api/session';

const LIMIT_SOURCE: Record<Session['limitSource'], string> = {
  turn: 'stated with the turn',
  client: 'stated by the client',
  session: 'set for this session',
  table: 'model table',
  learned: 'learned from this session',
  assumed: 'assumed',
  none: '',
};

/** Where a session's limit comes from; empty where there is none. */
export function limitSourceWords(source: Session['limitSource']): string {
  return LIMIT_SOURCE[source];
}
