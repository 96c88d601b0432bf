export const LIVENESSES = ['live', 'idle', 'ended'] as const;
export type Liveness = (typeof LIVENESSES)[number];

interface LivenessFacts {
  /** Server time of the last item, milliseconds; null: no item. */
  lastActivityAtMs: number | null;
  ended: boolean;
  backfill: boolean;
}

/** `live`: activity within `idleAfterMs`. `ended`: an end was reported. Not stored, because it changes with time. */
export function livenessOf(facts: Readonly<LivenessFacts>, nowMs: number, idleAfterMs: number): Liveness {
  if (facts.ended) return 'ended';
  if (facts.backfill || facts.lastActivityAtMs === null) return 'idle';
  return nowMs - facts.lastActivityAtMs < idleAfterMs ? 'live' : 'idle';
}

/** When a live session becomes idle, milliseconds; null: it is not live. */
export function idleAt(facts: Readonly<LivenessFacts>, nowMs: number, idleAfterMs: number): number | null {
  const isLive = livenessOf(facts, nowMs, idleAfterMs) === 'live';
  return isLive ? (facts.lastActivityAtMs ?? 0) + idleAfterMs : null;
}
