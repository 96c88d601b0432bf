'use client';
import { useMemo, useSyncExternalStore } from 'react';

const NARROW = '(max-width: 599px)';

function listen(notify: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener('change', notify);
  return () => query.removeEventListener('change', notify);
}

/** The place of an answer: at its number, or along the bottom of a narrow screen. */
export function usePlace(anchor: HTMLElement) {
  const isSheet = useSyncExternalStore(
    listen,
    () => matchMedia(NARROW).matches,
    () => false,
  );
  const ref = useMemo(
    () => ({
      current: isSheet
        ? {
            getBoundingClientRect: () => new DOMRect(0, innerHeight, document.documentElement.clientWidth, 0),
          }
        : anchor,
    }),
    [anchor, isSheet],
  );
  return { isSheet, ref };
}
