'use client';
import { defaultRangeExtractor, type Range } from '@tanstack/react-virtual';
import { type FocusEvent, useCallback, useRef } from 'react';

/** Keep the focused row of a virtual list drawn: a removed row would lose the focus. Rows need `data-index`. */
export function useKeptRow() {
  const focused = useRef(-1);
  return {
    rangeExtractor: useCallback((range: Range) => {
      const shown = defaultRangeExtractor(range);
      const kept = focused.current;
      return kept < 0 || kept >= range.count || shown.includes(kept) ? shown : [...shown, kept];
    }, []),
    onFocus: ({ target }: FocusEvent) => {
      focused.current = Number(target.closest<HTMLElement>('[data-index]')?.dataset.index ?? -1);
    },
    onBlur: () => {
      focused.current = -1;
    },
  };
}
