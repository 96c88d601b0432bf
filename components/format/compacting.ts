import type { Session } from '@/core/api/session';

/** Whether a compaction started and has not ended. */
export function isCompacting({ compacting, liveness }: Pick<Session, 'compacting' | 'liveness'>): boolean {
  return compacting !== null && liveness === 'live';
}
