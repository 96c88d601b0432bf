'use client';
import { showShellDialog } from './shell-dialogs';

/** The palette's key beside the search; opens the palette. */
export function PaletteKey({ commandKey, className = '' }: { commandKey: string; className?: string }) {
  return (
    <button
      type="button"
      className={`key whitespace-nowrap hover:border-ink hover:text-ink ${className}`}
      aria-label="Commands"
      aria-keyshortcuts="Control+K Meta+K"
      title={`Commands (${commandKey})`}
      onClick={() => showShellDialog('palette')}
    >
      {commandKey}
    </button>
  );
}

export function HelpButton() {
  return (
    <button
      type="button"
      className="key hidden hover:border-ink hover:text-ink md:inline-flex"
      aria-label="Keyboard help"
      title="Keyboard help"
      onClick={() => showShellDialog('help')}
    >
      ?
    </button>
  );
}
