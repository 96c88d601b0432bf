'use client';
/** Places in this transcript where the words stand, as the server finds them; what was found stays while one types. */
import { useEffect, useState } from 'react';
import type { TranscriptSearch } from '@/core/api/transcript-contents';
import { fetchSearch } from '../fetch-transcripts';

const TYPING_MS = 200;

export interface Found {
  hits: TranscriptSearch['hits'];
  total: number;
  isMore: boolean;
  pending: boolean;
  failed: string | null;
}

const NONE: Omit<Found, 'pending'> = { hits: [], total: 0, isMore: false, failed: null };

export function useFind(id: string, words: string, isReadable: boolean): Found {
  const wanted = isReadable ? words.trim() : '';
  const [held, setHeld] = useState({ words: '', ...NONE });
  useEffect(() => {
    if (wanted === '') return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      fetchSearch(id, wanted.slice(0, 200), abort.signal).then(
        ({ hits, total, isMore }) => setHeld({ words: wanted, hits, total, isMore, failed: null }),
        (error: unknown) => {
          if (abort.signal.aborted) return;
          setHeld({ words: wanted, ...NONE, failed: error instanceof Error ? error.message : String(error) });
        },
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [id, wanted]);
  if (wanted === '') return { ...NONE, pending: false };
  return { ...held, pending: held.words !== wanted };
}
