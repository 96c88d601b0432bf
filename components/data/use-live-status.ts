'use client';
import { useSyncExternalStore } from 'react';
import type { LiveStatus } from '@/core/live/connection-state';
import { formatSince } from '../format/format-time';
import { useLive } from './live-provider';
import { useClock, useNow } from './use-clock';
import { useTimeZone } from './use-time-zone';

const CONNECTING: LiveStatus = { status: 'connecting' };
const connecting = () => CONNECTING;

export function useLiveStatus(): LiveStatus {
  const { client } = useLive();
  return useSyncExternalStore(client.onStatus, client.status, connecting);
}

/** Time of the newest turn of any session, milliseconds; null: no turns; undefined: not known, or no subscriber. */
export function useLastTurnAt(): number | null | undefined {
  const { client } = useLive();
  return useSyncExternalStore(client.watchTurns, client.lastTurnAt, () => undefined);
}

function useLostAt(): number | null {
  const status = useLiveStatus();
  return status.status === 'reconnecting' || status.status === 'stale' ? status.since : null;
}

/** The right end of time axes: the server's time in steps, constant while the connection is lost. */
export function useAxisNow(stepMs: number): number {
  const now = useNow(stepMs);
  const lostAt = useLostAt();
  return lostAt === null ? now : Math.min(now, lostAt);
}

/** When the connection was lost, `17:51` or `23 Jan 17:51`; null while it is connected. */
export function useLostSince(): string | null {
  const zone = useTimeZone();
  const lostAt = useLostAt();
  return useClock((now) => (lostAt === null ? null : formatSince(lostAt, now, zone)));
}
