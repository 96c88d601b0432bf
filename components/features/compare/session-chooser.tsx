'use client';
import { useId, useState } from 'react';
import type { Session } from '@/core/api/session';
import { formatCount } from '../../format/format-tokens';
import { useSessionSearch } from '../../sessions/use-session-search';
import { Ago } from '../../ui/ago';
import { StateLabel } from '../../ui/state-label';

interface SessionChooserProps {
  /** Label of the choice, as in `Choose the second session`. */
  label: string;
  choose: (session: Session) => void;
}

/** Finds a session by text. Without text it lists the first sessions of the fleet. */
export function SessionChooser({ label, choose }: SessionChooserProps) {
  const [query, setQuery] = useState('');
  const { sessions, total, status } = useSessionSearch(query.trim());
  const id = useId();
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="block text-small text-ink2">
        {label}
      </label>
      <input
        id={id}
        type="search"
        className="field mt-[3px] w-full max-w-[420px]"
        placeholder="Title, project, model, host"
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={({ target }) => setQuery(target.value)}
      />
      <p
        role="status"
        className={status === 'ready' && sessions.length > 0 ? 'sr-only' : 'py-[8px] text-ink2'}
      >
        {words(status, total, query)}
      </p>
      <ul aria-label={label} className="mt-[4px] max-w-[620px]">
        {sessions.map((session) => (
          <li key={session.id} className="border-b border-hair">
            <button
              type="button"
              className="grid min-h-[36px] w-full grid-cols-[minmax(0,1fr)_auto] items-center gap-x-[14px] py-[4px] text-left hover:bg-sunken"
              onClick={() => choose(session)}
            >
              <span className="min-w-0">
                <span className="block truncate">{session.title ?? session.key}</span>
                <span className="block truncate text-small text-ink2">
                  {[session.project, session.model, formatCount(session.totals.main.calls, 'turn')]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
              </span>
              <span className="flex items-center gap-[12px] text-small text-ink2">
                <StateLabel state={session.state} />
                {session.lastTurnAt === null ? null : <Ago at={session.lastTurnAt} />}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function words(status: 'ready' | 'asking' | 'failed', total: number | null, query: string): string {
  if (status === 'asking') return 'Searching…';
  if (status === 'failed') return 'The server does not respond. Type to retry.';
  if (total === 0) return query.trim() === '' ? 'No sessions yet.' : 'No matches';
  return formatCount(total ?? 0, 'session');
}
