'use client';
/** Entries that were read whole, because somebody asked for all of a long text or for a picture. The last few stay. */
import { useCallback, useMemo, useState } from 'react';
import type { TranscriptEntry } from '@/core/api/transcript-contents';
import { fetchMessages } from '../fetch-transcripts';

const MOST = 12;
const NONE: ReadonlyMap<number, TranscriptEntry> = new Map();

export interface WholeEntries {
  get: (entry: number) => TranscriptEntry | undefined;
  /** @throws Error with the server's words */
  read: (entry: number) => Promise<void>;
}

export function useWholeEntries(id: string, raw: boolean): WholeEntries {
  const key = `${id} ${raw}`;
  const [held, setHeld] = useState({ key, entries: NONE });
  const entries = held.key === key ? held.entries : NONE;
  const read = useCallback(
    async (entry: number) => {
      const answer = await fetchMessages(
        id,
        { from: entry, count: 1, full: true, raw },
        new AbortController().signal,
      );
      const found = answer.entries.find((one) => one.entry === entry);
      if (found === undefined) throw new Error('the server sent nothing');
      setHeld((now) => {
        const next = new Map(now.key === key ? now.entries : NONE);
        next.set(entry, found);
        for (const oldest of next.keys()) {
          if (next.size <= MOST) break;
          next.delete(oldest);
        }
        return { key, entries: next };
      });
    },
    [id, raw, key],
  );
  return useMemo(() => ({ get: (entry) => entries.get(entry), read }), [entries, read]);
}
