'use client';
import { Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { applyTheme, THEMES, type Theme } from './theme';

const ICON = { system: Monitor, light: Sun, dark: Moon };
const NAME = { system: 'as the system', light: 'light', dark: 'dark' };

/** One button through system, light and dark; for the top bar. */
export function ThemeButton({ initial }: { initial: Theme }) {
  const [theme, setTheme] = useState(initial);
  const Icon = ICON[theme];
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
  return (
    <button
      type="button"
      className="-m-1 p-1 text-ink2 hover:text-ink"
      title={`Theme: ${NAME[theme]}. Change to ${NAME[next]}`}
      aria-label={`Theme: ${NAME[theme]}. Change to ${NAME[next]}`}
      onClick={() => {
        applyTheme(next);
        setTheme(next);
      }}
    >
      <Icon size={14} strokeWidth={1.5} aria-hidden="true" />
    </button>
  );
}

/** All three side by side; for the settings page. */
export function ThemeChoice({ initial }: { initial: Theme }) {
  const [theme, setTheme] = useState(initial);
  return (
    <fieldset className="flex gap-[20px]">
      <legend className="sr-only">Theme</legend>
      {THEMES.map((name) => (
        <label
          key={name}
          className="cursor-pointer py-1 text-ink2 hover:text-ink has-checked:border-b-[1.5px] has-checked:border-ink has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-ink"
        >
          <input
            type="radio"
            name="theme"
            className="sr-only"
            checked={theme === name}
            onChange={() => {
              applyTheme(name);
              setTheme(name);
            }}
          />
          {name === 'system' ? 'As the system' : name === 'light' ? 'Light' : 'Dark'}
        </label>
      ))}
    </fieldset>
  );
}
