'use client';
import { useSyncExternalStore } from 'react';
import type { LiveStatus } from '@/core/live/connection-state';
import { useLive } from './live-provider';

const CONNECTING: LiveStatus = { status: 'connecting' };
const connecting = () => CONNECTING;
const notKnown = () => undefined;

/** How far what is on screen can be trusted. */
export function useLiveStatus(): LiveStatus {
  const { client } = useLive();
  return useSyncExternalStore(client.onStatus, client.status, connecting);
}

/** Time of the newest turn of any session, milliseconds; null: none has one; undefined: not known, or not looked at. */
export function useLastTurnAt(): number | null | undefined {
  const { client } = useLive();
  return useSyncExternalStore(client.watchTurns, client.lastTurnAt, notKnown);
}
