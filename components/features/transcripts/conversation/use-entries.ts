'use client';
/** The entries on screen, loaded by pages while one scrolls; a long drag loads only where it ends. */
import { type UseQueryResult, useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { mayRetry } from '../../../data/fetch-json';
import { useDebounced } from '../../../ui/use-deferred';
import { type EntryPage, entriesQuery, fetchWholeEntry, PAGE_ENTRIES } from '../transcript-queries';
import type { ConversationEntries } from './conversation-context';

const SCROLL_MS = 30;

const pageOf = (entry: number) => Math.floor(entry / PAGE_ENTRIES);

interface LoadedEntries extends ConversationEntries {
  failed: { reason: string; isRetried: boolean } | null;
  retry: () => void;
}

/** @param wanted entries on screen; results of their tool calls are loaded with them */
export function useEntries(
  id: string,
  raw: boolean,
  wanted: readonly number[],
  total: number,
): LoadedEntries {
  const client = useQueryClient();
  const keyOf = (entry: number) => entriesQuery(id, raw, pageOf(entry)).queryKey;
  const results = wanted.flatMap((entry) =>
    (client.getQueryData(keyOf(entry))?.get(entry)?.blocks ?? []).flatMap((block) =>
      block.type === 'tool_call' && block.result !== null ? [block.result] : [],
    ),
  );
  const known = [...wanted, ...results].filter((entry) => entry < total);
  const pages = useDebounced([...new Set(known.map(pageOf))].join(' '), SCROLL_MS);
  const { loaded, failed, retry } = useQueries({
    queries: pages
      .split(' ')
      .map((page) => ({ ...entriesQuery(id, raw, Number(page)), enabled: page !== '' })),
    combine: combinePages,
  });
  return {
    entryOf: useCallback((entry) => loaded.find((page) => page.has(entry))?.get(entry), [loaded]),
    readWhole: useCallback(
      async (entry) => {
        const found = await fetchWholeEntry(id, entry, raw);
        const { queryKey } = entriesQuery(id, raw, pageOf(entry));
        client.setQueryData(queryKey, (page) => new Map(page).set(entry, found));
      },
      [client, id, raw],
    ),
    failed: failed && { reason: failed.message, isRetried: mayRetry(failed) },
    retry,
  };
}

function combinePages(results: UseQueryResult<EntryPage>[]) {
  const failed = results.filter(({ error }) => error !== null);
  return {
    loaded: results.flatMap(({ data }) => data ?? []),
    failed: failed[0]?.error ?? null,
    retry: () => failed.forEach(({ refetch }) => void refetch()),
  };
}
