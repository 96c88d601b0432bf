'use client';
/** Searches a transcript. The server finds matches in one part of the file at a time, and the browser marks them. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useMemo, useState } from 'react';
import type { TranscriptSearch } from '@/core/api/transcript-contents';
import { useDebounced } from '../../../ui/use-deferred';
import { findQuery } from '../transcript-queries';

const TYPING_MS = 200;
const MAX_CHARACTERS = 200;
/** The search reads further parts of the file until it has this many matches. */
const ENOUGH_HITS = 1_000;
type Hits = TranscriptSearch['hits'];
const NONE: Hits = [];

export type Found = ReturnType<typeof useFind>;

export function useFind(id: string, text: string) {
  const words = text.trim().slice(0, MAX_CHARACTERS);
  const settled = useDebounced(words, TYPING_MS);
  const query = useInfiniteQuery(findQuery(id, settled));
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  const pages = query.data?.pages;
  const all = useMemo(() => pages?.flatMap((page) => page.hits) ?? NONE, [pages]);
  const hits = words === '' ? NONE : all;
  const goesOn = hasNextPage && all.length < ENOUGH_HITS && !isFetching && !isError;
  useEffect(() => {
    if (goesOn) void fetchNextPage();
  }, [goesOn, fetchNextPage]);
  const [chosen, setChosen] = useState({ words: '', index: -1 });
  /** Index of the current hit; -1: none yet. */
  const at = chosen.words === words && chosen.index < hits.length ? chosen.index : -1;
  return {
    hits,
    at,
    /** Choose the next or previous hit. The first step starts at the entry `here`. Undefined: no hits. */
    step: (by: 1 | -1, here: number): Hits[number] | undefined => {
      const later = hits.findIndex(({ entry }) => entry >= here);
      const start = later === -1 ? 0 : later;
      const index = ((at === -1 ? start + Math.min(0, by) : at + by) + hits.length) % hits.length;
      setChosen({ words, index });
      return hits[index];
    },
    pending: settled !== words || query.isPlaceholderData || isFetching || hasNextPage,
    failed: query.error?.message ?? null,
  };
}

const NAME = 'found-words';
const MOST_MARKS = 500;

/** Marks the words on screen by the browser's highlight registry, without changing the page. */
export function useMarks(container: RefObject<HTMLElement | null>, text: string): void {
  const words = text.trim().toLowerCase();
  useEffect(() => {
    const root = container.current;
    if (root === null || words === '' || !('highlights' in CSS)) return;
    let frame = 0;
    const mark = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => CSS.highlights.set(NAME, new Highlight(...rangesOf(root, words))));
    };
    const observer = new MutationObserver(mark);
    observer.observe(root, { childList: true, subtree: true, characterData: true });
    mark();
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete(NAME);
    };
  }, [container, words]);
}

function rangesOf(root: HTMLElement, words: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (ranges.length < MOST_MARKS && walker.nextNode()) {
    const node = walker.currentNode;
    const text = (node.nodeValue ?? '').toLowerCase();
    for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + words.length)) {
      // The lower-case text may be longer than the original: skip matches past its end.
      if (at + words.length > (node.nodeValue ?? '').length) break;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + words.length);
      ranges.push(range);
    }
  }
  return ranges;
}
