import type { Session } from '@/core/api/session';

/** Whether its client compacts at this moment: it was announced, and nothing came of it yet. */
export function isCompacting({ compacting, liveness }: Pick<Session, 'compacting' | 'liveness'>): boolean {
  return compacting !== null && liveness === 'live';
}
