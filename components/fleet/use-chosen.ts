'use client';
import { useCallback, useState } from 'react';

/** A comparison has two sides: a third choice takes the place of the first. */
const MOST = 2;

/** The sessions that are chosen in the list, the first choice first, and a way to choose and to let go of one. */
export function useChosen(): { chosen: readonly string[]; toggle: (id: string) => void; clear: () => void } {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const toggle = useCallback((id: string) => setChosen((held) => toggled(held, id)), []);
  const clear = useCallback(() => setChosen([]), []);
  return { chosen, toggle, clear };
}

export function toggled(held: readonly string[], id: string): readonly string[] {
  return held.includes(id) ? held.filter((other) => other !== id) : [...held, id].slice(-MOST);
}
