'use client';
/** The entries on screen, loaded by pages while one scrolls; a long drag loads only where it ends. */
import { useQueries } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { TranscriptEntry } from '@/core/api/transcript-contents';
import { mayRetry } from '../../../data/fetch-json';
import { useDebounced } from '../../../ui/use-deferred';
import { entriesQuery, fetchWholeEntry, PAGE_ENTRIES } from '../transcript-queries';

const SCROLL_MS = 30;
const MAX_WHOLE = 12;
type Entries = ReadonlyMap<number, TranscriptEntry>;

export interface LoadedEntries {
  get: (entry: number) => TranscriptEntry | undefined;
  failed: { reason: string; isRetried: boolean } | null;
  retry: () => void;
}

/** @param wanted entries on screen; those outside of `[0, total)` are left out */
export function useEntries(
  id: string,
  raw: boolean,
  wanted: readonly number[],
  total: number,
): LoadedEntries {
  const settled = useDebounced(pagesOf(wanted, total).join(' '), SCROLL_MS);
  const pages = settled === '' ? [] : settled.split(' ').map(Number);
  const shown = usePages(id, raw, pages);
  const results = wanted.flatMap((entry) =>
    (shown.get(entry)?.blocks ?? []).flatMap((block) =>
      block.type === 'tool_call' && block.result !== null ? [block.result] : [],
    ),
  );
  const extra = usePages(
    id,
    raw,
    pagesOf(results, total).filter((page) => !pages.includes(page)),
  );
  const get = useCallback((entry: number) => shown.get(entry) ?? extra.get(entry), [shown.get, extra.get]);
  return { get, failed: shown.failed ?? extra.failed, retry: shown.failed ? shown.retry : extra.retry };
}

function pagesOf(entries: readonly number[], total: number): number[] {
  const known = entries.filter((entry) => entry >= 0 && entry < total);
  return [...new Set(known.map((entry) => Math.floor(entry / PAGE_ENTRIES)))];
}

function usePages(id: string, raw: boolean, pages: readonly number[]): LoadedEntries {
  const combined = useQueries({
    queries: pages.map((page) => entriesQuery(id, raw, page)),
    combine: combinePages,
  });
  const { loaded, error, refetch } = combined;
  const get = useCallback(
    (entry: number) => {
      for (const entries of loaded) {
        const found = entries.get(entry);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    [loaded],
  );
  return {
    get,
    failed: error && { reason: error.message, isRetried: mayRetry(error) },
    retry: () => void refetch(),
  };
}

interface PageResult {
  data: Entries | undefined;
  error: Error | null;
  refetch: () => Promise<unknown>;
}

function combinePages(results: PageResult[]) {
  const failed = results.filter(({ error }) => error !== null);
  return {
    loaded: results.flatMap(({ data }) => data ?? []),
    error: failed[0]?.error ?? null,
    refetch: () => Promise.all(failed.map(({ refetch }) => refetch())),
  };
}

export interface WholeEntries {
  get: (entry: number) => TranscriptEntry | undefined;
  /** @throws Error with the server's reason */
  read: (entry: number) => Promise<void>;
}

/** Entries loaded in full on request; the last dozen is kept. */
export function useWholeEntries(id: string, raw: boolean): WholeEntries {
  const [entries, setEntries] = useState<Entries>(() => new Map());
  const read = useCallback(
    async (entry: number) => {
      const found = await fetchWholeEntry(id, entry, raw);
      setEntries((now) => new Map([...now, [entry, found] as const].slice(-MAX_WHOLE)));
    },
    [id, raw],
  );
  return useMemo(() => ({ get: (entry) => entries.get(entry), read }), [entries, read]);
}
