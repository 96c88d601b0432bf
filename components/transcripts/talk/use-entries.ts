'use client';
/**
 * The entries on screen, read as one scrolls. It owns the pages that were read, one request at a time; a long drag
 * reads where it ends alone. What failed is tried again by itself, at once when asked to, or when other entries are wanted;
 * what the server will not give, only when asked to.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { TranscriptEntry, TranscriptMessages } from '@/core/api/transcript-contents';
import { fetchMessages, mayPass } from '../fetch-transcripts';
import { type EntryPages, entryIn, missingFrom, PAGE_ENTRIES, withEntries } from './entry-pages';

const REST_MS = 30;
const FAILED_MS = 4_000;
const NONE: EntryPages = new Map();

export interface ReadEntries {
  get: (entry: number) => TranscriptEntry | undefined;
  failed: { why: string; isTriedAgain: boolean } | null;
  retry: () => void;
}

export interface EntriesAsked {
  raw: boolean;
  /** Entries on screen, those that matter first. */
  wanted: readonly number[];
  /** 0: nothing can be read yet. */
  total: number;
  /** The first page, where it is here already. */
  first: TranscriptMessages | null;
}

export function useEntries(id: string, { raw, wanted, total, first }: EntriesAsked): ReadEntries {
  const key = `${id} ${raw}`;
  const [held, setHeld] = useState(() => ({
    key,
    pages:
      first === null
        ? NONE
        : withEntries(NONE, { from: 0, count: Math.min(total, PAGE_ENTRIES) }, first.entries, first.next),
  }));
  const [failed, setFailed] = useState<{ at: string; why: string; isTriedAgain: boolean } | null>(null);
  const [tries, setTries] = useState(0);
  const isFirst = useRef(true);
  const pages = held.key === key ? held.pages : NONE;
  const missing = missingFrom(pages, [...wanted, ...resultsOf(pages, wanted)], total);
  const from = missing?.from ?? -1;
  const count = missing?.count ?? 0;
  const place = `${key} ${from}`;

  // biome-ignore lint/correctness/useExhaustiveDependencies: `tries` says when to read once more
  useEffect(() => {
    if (from < 0) return;
    const abort = new AbortController();
    const start = async () => {
      try {
        const answer = await fetchMessages(id, { from, count, raw }, abort.signal);
        if (abort.signal.aborted) return;
        setFailed(null);
        setHeld((now) => ({
          key,
          pages: withEntries(
            now.key === key ? now.pages : NONE,
            { from, count },
            answer.entries,
            answer.next,
          ),
        }));
      } catch (error) {
        if (abort.signal.aborted) return;
        const why = error instanceof Error ? error.message : String(error);
        const isTriedAgain = mayPass(error);
        setFailed({ at: `${key} ${from}`, why, isTriedAgain });
        if (isTriedAgain) timer = setTimeout(() => setTries((times) => times + 1), FAILED_MS);
      }
    };
    let timer = setTimeout(() => void start(), isFirst.current ? 0 : REST_MS);
    isFirst.current = false;
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [id, raw, key, from, count, tries]);

  return {
    get: useCallback((entry: number) => entryIn(pages, entry), [pages]),
    failed: failed !== null && failed.at === place ? failed : null,
    retry: () => {
      setFailed(null);
      setTries((times) => times + 1);
    },
  };
}

/** A message may hold several calls: the results of all of them stand with it. */
function resultsOf(pages: EntryPages, wanted: readonly number[]): number[] {
  return wanted.flatMap((entry) =>
    (entryIn(pages, entry)?.blocks ?? []).flatMap((block) =>
      block.type === 'tool_call' && block.result !== null ? [block.result] : [],
    ),
  );
}
