'use client';
import { usePathname, useRouter } from 'next/navigation';
import { parseAsString, useQueryState } from 'nuqs';
import { useEffect, useRef, useState } from 'react';
import { useShortcut } from '../ui/use-shortcut';
import { PaletteKey } from './shell-buttons';

interface SearchBoxProps {
  /** The palette's key, shown after `/`; absent: no keys are shown. */
  commandKey?: string;
  className?: string;
}

/** Filters the fleet while typing; elsewhere Enter opens the fleet. A plain form works before hydration. */
export function SearchBox({ commandKey, className = '' }: SearchBoxProps) {
  const input = useRef<HTMLInputElement>(null);
  const onFleet = usePathname() === '/';
  const [filter, setFilter] = useQueryState('q', parseAsString.withDefault(''));
  const query = onFleet ? filter : '';
  const router = useRouter();
  const [text, setText] = useState(query);
  // Follows the URL, except while the viewer types.
  useEffect(() => {
    if (document.activeElement !== input.current) setText(query);
  }, [query]);

  useShortcut('/', () => {
    if (commandKey === undefined) return;
    input.current?.focus();
    input.current?.select();
  });

  function type(next: string) {
    setText(next);
    if (onFleet) void setFilter(next.trim());
  }

  return (
    <form
      action="/"
      className={`relative flex h-[28px] items-center border-b border-hair2 focus-within:border-ink ${className}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (!onFleet) router.push(text.trim() === '' ? '/' : `/?q=${encodeURIComponent(text.trim())}`);
      }}
    >
      <input
        ref={input}
        name="q"
        type="search"
        autoComplete="off"
        spellCheck={false}
        aria-label="Search sessions"
        aria-keyshortcuts={commandKey && '/'}
        placeholder="Search sessions"
        value={text}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          if (text === '') event.currentTarget.blur();
          else type('');
          event.preventDefault();
        }}
        className="min-w-0 flex-1 appearance-none bg-transparent outline-none [&::-webkit-search-cancel-button]:hidden"
      />
      {commandKey === undefined ? null : (
        <>
          <span className="key ml-2" aria-hidden="true">
            /
          </span>
          <PaletteKey commandKey={commandKey} className="ml-1" />
        </>
      )}
    </form>
  );
}
