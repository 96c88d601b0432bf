'use client';
import { useSyncExternalStore } from 'react';
import type { LiveStatus } from '@/core/live/live-status';
import { useLive } from './live-provider';

const CONNECTING: LiveStatus = { status: 'connecting' };
const connecting = () => CONNECTING;
const none = () => null;

/** How far what is on screen can be trusted. */
export function useLiveStatus(): LiveStatus {
  const { client } = useLive();
  return useSyncExternalStore(client.onStatus, client.status, connecting);
}

/** Time of the newest turn the feed told of, milliseconds; null: none. */
export function useLastTurnAt(): number | null {
  const { client } = useLive();
  return useSyncExternalStore(client.onLastTurn, client.lastTurnAt, none);
}
