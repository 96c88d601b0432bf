'use client';
import { useEffect, useState } from 'react';
import type { SessionEvent, TurnRow } from '@/core/api/session';
import { fetchTurns } from './turns/fetch-turns';

/** The last turn before an event and the first after it, read when the event is shown; empty until they are in. */
export function useTurnsAround(
  event: SessionEvent,
  /** What says that the turn after it may have come. */
  turnCount: number,
): readonly TurnRow[] {
  const { id, sessionId, chain, turn } = event;
  const [held, setHeld] = useState<{ id: string; turns: readonly TurnRow[] }>({ id: '', turns: [] });
  const isWhole = held.id === id && held.turns.some(({ number }) => number === turn + 1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turnCount` says when to look again
  useEffect(() => {
    if (isWhole) return;
    const abort = new AbortController();
    fetchTurns(
      { id: sessionId, chain, context: null },
      { turn: Math.max(1, turn), limit: 2 },
      abort.signal,
    ).then(
      (turns) => setHeld({ id, turns }),
      // Its figures stay unknown; what the event itself says is shown all the same.
      () => undefined,
    );
    return () => abort.abort();
  }, [id, sessionId, chain, turn, turnCount, isWhole]);
  return held.id === id ? held.turns : [];
}
