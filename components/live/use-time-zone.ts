'use client';
import { useSyncExternalStore } from 'react';

const never = () => () => undefined;
const viewerZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;
const serverZone = () => 'UTC';

/** The viewer's zone; UTC while the page wakes up, so that both renders agree. */
export function useTimeZone(): string {
  return useSyncExternalStore(never, viewerZone, serverZone);
}
