'use client';
import { useCallback, useSyncExternalStore } from 'react';
import type { Alert } from '@/core/api/alerts';
import type { AlertsFrame } from '../data/live-client';
import { useLive } from '../data/live-provider';

/** Open alerts, live; null: not known yet. */
export function useOpenAlerts(): AlertsFrame | null {
  const { client } = useLive();
  return useSyncExternalStore(client.watchAlerts, client.alerts, () => null);
}

/** Firing alerts that are not acknowledged. */
export function callingAlerts(frame: AlertsFrame | null): readonly Alert[] {
  return (
    frame?.alerts.filter(({ phase, acknowledgedAt }) => phase === 'firing' && acknowledgedAt === null) ?? NONE
  );
}

export function alertingSessions(alerts: readonly Alert[]): ReadonlySet<string> {
  return new Set(alerts.flatMap(({ session }) => session?.id ?? []));
}

const NONE: readonly Alert[] = [];
/** Firing alerts by session, computed once per frame for all rows. */
const bySession = new WeakMap<AlertsFrame, ReadonlyMap<string, Alert[]>>();

function firingOf(frame: AlertsFrame | null, session: string): readonly Alert[] {
  if (frame === null) return NONE;
  let known = bySession.get(frame);
  if (known === undefined) {
    const map = new Map<string, Alert[]>();
    for (const alert of frame.alerts) {
      if (alert.session === null || alert.phase !== 'firing') continue;
      map.set(alert.session.id, [...(map.get(alert.session.id) ?? []), alert]);
    }
    bySession.set(frame, map);
    known = map;
  }
  return known.get(session) ?? NONE;
}

export function useSessionAlerts(session: string): readonly Alert[] {
  const { client } = useLive();
  const read = useCallback(() => firingOf(client.alerts(), session), [client, session]);
  return useSyncExternalStore(client.watchAlerts, read, () => NONE);
}
