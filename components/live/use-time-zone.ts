'use client';
import { useSyncExternalStore } from 'react';

const never = () => () => undefined;
let zone: string | undefined;
/** Asked once: making a formatter is slow, and rows ask with every render. */
const viewerZone = () => {
  zone ??= new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone;
};
const serverZone = () => 'UTC';

/** The viewer's zone; UTC while the page wakes up, so that both renders agree. */
export function useTimeZone(): string {
  return useSyncExternalStore(never, viewerZone, serverZone);
}
