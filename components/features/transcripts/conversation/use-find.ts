'use client';
/** Searches a transcript. The server finds matches in one part of the file at a time, and the browser marks them. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useMemo, useState } from 'react';
import type { TranscriptSearch } from '@/core/api/transcript-contents';
import { findQuery } from '../../../data/transcript-queries';
import { useDebounced } from '../../../ui/use-deferred';

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

/** Marks the words on screen by the browser's highlight registry. While a jump is held, the first match in the target
 * row is scrolled into view. */
export function useMarks(
  container: RefObject<HTMLElement | null>,
  text: string,
  heldUntil: RefObject<number>,
): void {
  const words = text.trim().toLowerCase();
  useEffect(() => {
    const root = container.current;
    if (root === null || words === '' || !('highlights' in CSS)) return;
    let frame = 0;
    const mark = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => {
        const ranges = rangesOf(root, words);
        CSS.highlights.set(NAME, new Highlight(...ranges));
        if (performance.now() < heldUntil.current) showMatch(ranges);
      });
    };
    const observer = new MutationObserver(mark);
    observer.observe(root, { childList: true, subtree: true, characterData: true, attributes: true });
    mark();
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete(NAME);
    };
  }, [container, words, heldUntil]);
}

function showMatch(ranges: readonly Range[]): void {
  const found = ranges.find(({ startContainer }) => startContainer.parentElement?.closest('[data-target]'));
  if (found === undefined) return;
  const { top, bottom } = found.getBoundingClientRect();
  if (top < innerHeight * 0.1 || bottom > innerHeight) scrollBy(0, top - innerHeight / 3);
}

/** Matches within a row. A match may span nodes: colours and bold type split a text. */
function rangesOf(root: HTMLElement, words: string): Range[] {
  const ranges: Range[] = [];
  for (const row of root.querySelectorAll('li[data-index]')) {
    const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    const nodes: { node: Node; from: number }[] = [];
    let text = '';
    while (walker.nextNode()) {
      nodes.push({ node: walker.currentNode, from: text.length });
      text += lowerCase(walker.currentNode.nodeValue ?? '');
    }
    for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + words.length)) {
      if (ranges.length >= MOST_MARKS) return ranges;
      const end = at + words.length;
      const first = nodes.findLast(({ from }) => from <= at);
      const last = nodes.findLast(({ from }) => from < end);
      if (first === undefined || last === undefined) continue;
      const range = document.createRange();
      range.setStart(first.node, at - first.from);
      range.setEnd(last.node, end - last.from);
      ranges.push(range);
    }
  }
  return ranges;
}

/** Lower case, unless this changes the length: matches must keep their positions. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}
