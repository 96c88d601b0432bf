'use client';
/** Which of the shell's dialogs is open: one at a time, asked for by a key, a button or the palette. */
import { useSyncExternalStore } from 'react';
import { createListeners } from '../data/listeners';

export type ShellDialog = 'palette' | 'help';

const listeners = createListeners();
let open: ShellDialog | null = null;

export function showShellDialog(next: ShellDialog | null): void {
  if (open === next) return;
  open = next;
  listeners.notify();
}

export function useShellDialog(): ShellDialog | null {
  return useSyncExternalStore(
    listeners.add,
    () => open,
    () => null,
  );
}
