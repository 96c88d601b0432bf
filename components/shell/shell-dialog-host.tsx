'use client';
/**
 * Opens the shell's dialogs: `⌘K` or Ctrl-K the palette, `?` the help. Their code comes when it is first asked for,
 * or as soon as Ctrl or ⌘ goes down, so that no page pays for it and no first letter is lost.
 */
import { Suspense, useEffect } from 'react';
import { lazyPart } from '../ui/lazy-part';
import { isShortcut } from '../ui/use-shortcut';
import { showShellDialog, useShellDialog } from './shell-dialogs';

const loadPalette = () => import('./palette/palette-dialog');
const Palette = lazyPart(loadPalette);
const Help = lazyPart(() => import('./help-dialog'));

export function ShellDialogHost({ commandKey }: { commandKey: string }) {
  const open = useShellDialog();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Control' || event.key === 'Meta') {
        // A chunk that does not come is asked for again when the palette opens.
        loadPalette().catch(() => undefined);
        return;
      }
      const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (isCommand && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        showShellDialog('palette');
      } else if (event.key === '?' && isShortcut(event)) {
        event.preventDefault();
        showShellDialog('help');
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const close = () => showShellDialog(null);
  return (
    <Suspense>
      {open === 'palette' ? <Palette onClose={close} /> : null}
      {open === 'help' ? <Help commandKey={commandKey} onClose={close} /> : null}
    </Suspense>
  );
}
