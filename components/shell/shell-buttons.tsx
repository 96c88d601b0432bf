'use client';
import { Monitor, Moon, Sun } from 'lucide-react';
import { THEMES } from '../preferences/preferences';
import { changePreferences, usePreferences } from '../preferences/preferences-provider';
import { showShellDialog } from './shell-dialogs';

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
      className="key hover:border-ink hover:text-ink"
      aria-label="Keyboard help"
      title="Keyboard help"
      onClick={() => showShellDialog('help')}
    >
      ?
    </button>
  );
}

const ICON = { system: Monitor, light: Sun, dark: Moon };

export function ThemeButton() {
  const { theme } = usePreferences();
  const Icon = ICON[theme];
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
  const words = `Theme: ${theme}. Change to ${next}`;
  return (
    <button
      type="button"
      className="-m-1 p-1 text-ink2 hover:text-ink"
      title={words}
      aria-label={words}
      onClick={() => changePreferences({ theme: next })}
    >
      <Icon size={14} strokeWidth={1.5} aria-hidden="true" />
    </button>
  );
}
