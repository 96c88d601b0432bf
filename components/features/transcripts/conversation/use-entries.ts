'use client';
/** The entries on screen, loaded by pages while the viewer scrolls. A long drag loads only the pages at its end. */
import { type UseQueryResult, useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { type EntryPage, entriesQuery, fetchWholeEntry, pageOfEntry } from '../../../data/transcript-queries';
import { useDebounced } from '../../../ui/use-deferred';

const SCROLL_MS = 30;

/** @param wanted entries on screen; results of their tool calls are loaded with them */
export function useEntries(id: string, raw: boolean, wanted: readonly number[], total: number) {
  const client = useQueryClient();
  const results = wanted.flatMap((entry) => {
    const page = client.getQueryData(entriesQuery(id, raw, pageOfEntry(entry)).queryKey);
    return (page?.get(entry)?.blocks ?? []).flatMap((block) =>
      block.type === 'tool_call' ? (block.result ?? []) : [],
    );
  });
  const known = [...wanted, ...results].filter((entry) => entry < total);
  const pages = useDebounced([...new Set(known.map(pageOfEntry))].join(' '), SCROLL_MS);
  const { loaded, ...state } = useQueries({
    queries: pages
      .split(' ')
      .map((page) => ({ ...entriesQuery(id, raw, Number(page)), enabled: page !== '' })),
    combine: combinePages,
  });
  return {
    ...state,
    /** Undefined: not loaded. */
    entryOf: useCallback((entry: number) => loaded.find((page) => page.has(entry))?.get(entry), [loaded]),
    /** @throws ApiError */
    readWhole: useCallback(
      async (entry: number) => {
        const found = await fetchWholeEntry(id, entry, raw);
        const { queryKey } = entriesQuery(id, raw, pageOfEntry(entry));
        client.setQueryData(queryKey, (page) => new Map(page).set(entry, found));
      },
      [client, id, raw],
    ),
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
