'use client';
import { useEffect, useEffectEvent } from 'react';
import { isShortcut } from './is-editable';

/** Calls `act` when `key` is pressed outside of fields and dialogs. */
export function useShortcut(key: string, act: () => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== key || !isShortcut(event)) return;
    event.preventDefault();
    act();
  });
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
