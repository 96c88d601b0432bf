'use client';
import { Monitor, Moon, Sun } from 'lucide-react';
import { THEMES } from '../preferences/preferences';
import { changePreferences, usePreferences } from '../preferences/preferences-provider';

const ICON = { system: Monitor, light: Sun, dark: Moon };
const NAME = { system: 'system', light: 'light', dark: 'dark' };

/** One button through system, light and dark; for the top bar. */
export function ThemeButton() {
  const { theme } = usePreferences();
  const Icon = ICON[theme];
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
  const words = `Theme: ${NAME[theme]}. Change to ${NAME[next]}`;
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
