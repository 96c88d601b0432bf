'use client';
import { usePathname, useRouter, useSearchParams } from 'next/navigation';
import { useRef, useState } from 'react';
import { useShortcut } from './use-shortcut';

/**
 * Searches sessions. On the fleet it filters as one types and lives in the URL; elsewhere Enter goes there.
 * A plain form underneath, so that it works before the page woke up.
 */
export function SearchBox({ shortcut = false, className = '' }: { shortcut?: boolean; className?: string }) {
  const input = useRef<HTMLInputElement>(null);
  const onFleet = usePathname() === '/';
  const query = useSearchParams().get('q') ?? '';
  const router = useRouter();
  const [text, setText] = useState(query);
  const [seen, setSeen] = useState(query);
  // The URL changed elsewhere (a filter was cleared, back was pressed): it wins over what was typed.
  if (query !== seen) {
    setSeen(query);
    setText(query);
  }

  useShortcut('/', () => {
    if (!shortcut) return;
    input.current?.focus();
    input.current?.select();
  });

  function type(next: string) {
    setText(next);
    if (!onFleet) return;
    setSeen(next.trim());
    const url = new URL(location.href);
    if (next.trim() === '') url.searchParams.delete('q');
    else url.searchParams.set('q', next.trim());
    history.replaceState(null, '', url);
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
        {...(shortcut ? { 'aria-keyshortcuts': '/' } : {})}
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
      {shortcut ? (
        <span className="key ml-2" aria-hidden="true">
          /
        </span>
      ) : null}
    </form>
  );
}
