'use client';
/**
 * `⌘K` or Ctrl-K opens the palette, `?` the help. The palette loads when Ctrl or ⌘ is pressed, so that no typed
 * letter is lost.
 */
import { Suspense, useEffect, useSyncExternalStore } from 'react';
import type { CommandStart, CommandTarget } from '../commands/command-dialog';
import { createListeners } from '../data/listeners';
import { lazyPart } from '../ui/lazy-part';
import { isShortcut } from '../ui/use-shortcut';
import { recordSessions } from './palette/recent-pages';

const loadPalette = () => import('./palette/palette-dialog');
const Palette = lazyPart(loadPalette);
const Help = lazyPart(() => import('./help-dialog'));

const listeners = createListeners();
const Command = lazyPart(() => import('../commands/command-dialog'));

/** The dialog of commands, for one session. */
interface CommandRequest {
  target: CommandTarget;
  start: CommandStart;
}

let open: 'palette' | 'help' | CommandRequest | null = null;

export function showShellDialog(next: typeof open): void {
  open = next;
  listeners.notify();
}

const close = () => showShellDialog(null);

function onKeyDown(event: KeyboardEvent): void {
  const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  const isPalette = isCommand && event.key.toLowerCase() === 'k';
  if (event.key === 'Control' || event.key === 'Meta') loadPalette().catch(() => undefined);
  if (!isPalette && !(event.key === '?' && isShortcut(event))) return;
  event.preventDefault();
  showShellDialog(isPalette ? 'palette' : 'help');
}

export function ShellDialogs({ commandKey }: { commandKey: string }) {
  const shown = useSyncExternalStore(
    listeners.add,
    () => open,
    () => null,
  );
  useEffect(recordSessions, []);
  useEffect(() => {
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <Suspense>
      {shown === 'palette' ? (
        <Palette onClose={close} openHelp={() => showShellDialog('help')} sendCommand={showShellDialog} />
      ) : null}
      {shown === 'help' ? <Help commandKey={commandKey} onClose={close} /> : null}
      {typeof shown === 'object' && shown !== null ? (
        <Command targets={[shown.target]} start={shown.start} onClose={close} />
      ) : null}
    </Suspense>
  );
}
