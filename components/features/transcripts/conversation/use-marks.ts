'use client';
import { type RefObject, useEffect } from 'react';

const NAME = 'found-words';
const MOST_MARKS = 500;

/**
 * Marks the words in what is on screen, without touching it: ranges of the browser's own highlight registry. Where a
 * browser has none, the row that was found is marked alone.
 */
export function useMarks(container: RefObject<HTMLElement | null>, words: string): void {
  useEffect(() => {
    const root = container.current;
    const wanted = words.trim().toLowerCase();
    if (root === null || wanted === '' || !('highlights' in CSS)) return;
    let frame = 0;
    const mark = () => {
      frame = 0;
      CSS.highlights.set(NAME, new Highlight(...rangesOf(root, wanted)));
    };
    const soon = () => {
      if (frame === 0) frame = requestAnimationFrame(mark);
    };
    const observer = new MutationObserver(soon);
    observer.observe(root, { childList: true, subtree: true, characterData: true });
    soon();
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete(NAME);
    };
  }, [container, words]);
}

function rangesOf(root: HTMLElement, wanted: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < MOST_MARKS; node = walker.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase();
    for (
      let at = text.indexOf(wanted);
      at !== -1 && ranges.length < MOST_MARKS;
      at = text.indexOf(wanted, at + wanted.length)
    ) {
      const length = (node.nodeValue ?? '').length;
      // A letter may be longer in lower case: a place past the end marks nothing.
      if (at + wanted.length > length) break;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      ranges.push(range);
    }
  }
  return ranges;
}
