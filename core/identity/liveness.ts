export const LIVENESSES = ['live', 'idle', 'ended'] as const;
export type Liveness = (typeof LIVENESSES)[number];

interface LivenessFacts {
  /** Server time of the last item, milliseconds; null: none. */
  lastActivityAtMs: number | null;
  ended: boolean;
  backfill: boolean;
}

/** `live` within `idleAfterMs` of activity, `ended` once that was reported. Never stored: time changes it. */
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
