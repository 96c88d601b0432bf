'use client';
/** Entries of the audit log that answer a question; what is shown stays until its successor is here. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { AuditEntry } from '@/core/api/audit';
import { fetchAudit } from '../transcripts/fetch-transcripts';

export interface AuditState {
  /** Null: nothing was read yet. */
  entries: readonly AuditEntry[] | null;
  hasMore: boolean;
  pending: boolean;
  failed: string | null;
  more: () => void;
  retry: () => void;
}

interface Held {
  entries: readonly AuditEntry[] | null;
  cursor: string | null;
}

export function useAudit(search: string): AuditState {
  const [held, setHeld] = useState<Held>({ entries: null, cursor: null });
  const [pending, setPending] = useState(true);
  const [failed, setFailed] = useState<string | null>(null);
  const under = useRef<AbortController | null>(null);

  const ask = useCallback(async (question: string, cursor: string | null) => {
    under.current?.abort();
    const control = new AbortController();
    under.current = control;
    setPending(true);
    try {
      const page = await fetchAudit(question, cursor, control.signal);
      if (control.signal.aborted) return;
      setHeld((now) => ({
        entries: cursor === null ? page.entries : [...(now.entries ?? []), ...page.entries],
        cursor: page.nextCursor,
      }));
      setFailed(null);
    } catch (error) {
      if (control.signal.aborted) return;
      setFailed(error instanceof Error ? error.message : String(error));
    }
    setPending(false);
  }, []);
  useEffect(() => {
    void ask(search, null);
    return () => under.current?.abort();
  }, [search, ask]);

  return {
    entries: held.entries,
    hasMore: held.cursor !== null,
    pending,
    failed,
    more: () => {
      if (held.cursor !== null) void ask(search, held.cursor);
    },
    retry: () => void ask(search, null),
  };
}
