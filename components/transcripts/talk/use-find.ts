'use client';
/**
 * Places in this transcript where the words stand, as the server finds them: a part of the file at a time, further ones
 * when asked for. What was found stays while one types; a server that did not answer is asked again.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { TranscriptSearch } from '@/core/api/transcript-contents';
import { fetchSearch, mayPass } from '../fetch-transcripts';

const TYPING_MS = 200;
const FAILED_MS = 4_000;

export interface Found {
  hits: TranscriptSearch['hits'];
  /** A part of the file was not looked at yet. */
  isMore: boolean;
  pending: boolean;
  failed: string | null;
  /** Looks on in what is behind. */
  searchOn: () => void;
}

interface Held {
  words: string;
  hits: TranscriptSearch['hits'];
  next: number | null;
  failed: string | null;
}

const NONE: Held = { words: '', hits: [], next: null, failed: null };

export function useFind(id: string, words: string, isReadable: boolean): Found {
  const wanted = isReadable ? words.trim().slice(0, 200) : '';
  const [held, setHeld] = useState(NONE);
  const [tries, setTries] = useState(0);
  const [isOnward, setIsOnward] = useState(false);
  const onward = useRef<AbortController | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `tries` says when to look once more
  useEffect(() => {
    if (wanted === '') return;
    const abort = new AbortController();
    let timer = setTimeout(() => {
      fetchSearch(id, wanted, 0, abort.signal).then(
        ({ hits, next }) => setHeld({ words: wanted, hits, next, failed: null }),
        (error: unknown) => {
          if (abort.signal.aborted) return;
          setHeld({ ...NONE, words: wanted, failed: wordsOf(error) });
          if (mayPass(error)) timer = setTimeout(() => setTries((times) => times + 1), FAILED_MS);
        },
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
      onward.current?.abort();
    };
  }, [id, wanted, tries]);
  const { next } = held;
  const isCurrent = held.words === wanted;
  const searchOn = useCallback(() => {
    if (next === null || !isCurrent) return;
    onward.current?.abort();
    const abort = new AbortController();
    onward.current = abort;
    setIsOnward(true);
    fetchSearch(id, wanted, next, abort.signal)
      .then(
        (answer) =>
          setHeld((now) =>
            now.words === wanted && now.next === next
              ? { ...now, hits: [...now.hits, ...answer.hits], next: answer.next, failed: null }
              : now,
          ),
        (error: unknown) => {
          if (!abort.signal.aborted) setHeld((now) => ({ ...now, failed: wordsOf(error) }));
        },
      )
      .finally(() => {
        if (onward.current === abort) setIsOnward(false);
      });
  }, [id, wanted, next, isCurrent]);
  if (wanted === '') return { hits: [], isMore: false, pending: false, failed: null, searchOn };
  const { hits, failed } = held;
  return { hits, failed, isMore: next !== null, pending: !isCurrent || isOnward, searchOn };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
