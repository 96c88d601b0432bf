'use client';
/**
 * The turns that were read, a page at a time. It owns what was read for one filter and forgets it with another;
 * it waits until scrolling rests, so that a long drag over a million turns reads where it ends alone.
 */
import { useEffect, useState } from 'react';
import { fetchTurns, type TurnExtent, type TurnFilter } from './fetch-turns';
import { missingPage, PAGE_TURNS, type TurnPages, withPage } from './turn-pages';

const REST_MS = 60;
const NONE: TurnPages = new Map();

interface ReadPages {
  pages: TurnPages;
  failed: boolean;
  tryAgain: () => void;
}

export function useTurnPages(
  filter: TurnFilter,
  extent: TurnExtent | null,
  visible: { from: number; to: number },
): ReadPages {
  const { id, chain, context } = filter;
  const key = `${id} ${chain} ${context ?? ''} ${extent?.first ?? ''}`;
  const [held, setHeld] = useState({ key, pages: NONE });
  const [failedAt, setFailedAt] = useState<string | null>(null);
  const [tries, setTries] = useState(0);
  const pages = held.key === key ? held.pages : NONE;
  const first = extent?.first ?? null;
  const last = extent?.last ?? null;
  const wanted = extent === null ? null : missingPage(pages, extent, visible);
  const place = `${key} ${wanted ?? ''}`;

  // A page that is short of the session's end is wanted again when the end moves, so `last` counts.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `last` and `tries` say when to read once more.
  useEffect(() => {
    if (wanted === null || first === null) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      const turn = first + wanted * PAGE_TURNS;
      fetchTurns({ id, chain, context }, { turn, limit: PAGE_TURNS }, abort.signal).then(
        (turns) => {
          setFailedAt(null);
          setHeld((now) => ({ key, pages: withPage(now.key === key ? now.pages : NONE, wanted, turns) }));
        },
        () => {
          if (!abort.signal.aborted) setFailedAt(`${key} ${wanted}`);
        },
      );
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [id, chain, context, key, wanted, first, last, tries]);

  return {
    pages,
    failed: failedAt === place,
    tryAgain: () => {
      setFailedAt(null);
      setTries((times) => times + 1);
    },
  };
}
