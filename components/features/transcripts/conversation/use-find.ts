'use client';
/** Places of words in this transcript, as the server finds them: part of the file at a time. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { TranscriptSearch } from '@/core/api/transcript-contents';
import { useDebounced } from '../../../ui/use-deferred';
import { findQuery } from '../transcript-queries';

const TYPING_MS = 200;
const MAX_CHARACTERS = 200;
const NONE: TranscriptSearch['hits'] = [];

export interface Found {
  hits: TranscriptSearch['hits'];
  /** A part of the file was not searched yet. */
  isMore: boolean;
  pending: boolean;
  failed: string | null;
  searchOn: () => void;
}

export function useFind(id: string, text: string): Found {
  const words = text.trim().slice(0, MAX_CHARACTERS);
  const settled = useDebounced(words, TYPING_MS);
  const query = useInfiniteQuery(findQuery(id, settled));
  const pages = query.data?.pages;
  const hits = useMemo(() => pages?.flatMap((page) => page.hits) ?? NONE, [pages]);
  if (words === '')
    return { hits: NONE, isMore: false, pending: false, failed: null, searchOn: () => undefined };
  return {
    hits,
    isMore: query.hasNextPage,
    pending: settled !== words || query.isPlaceholderData || query.isFetching,
    failed: query.error?.message ?? null,
    searchOn: () => void query.fetchNextPage(),
  };
}
