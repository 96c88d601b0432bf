'use client';
/**
 * Secrets that were shown on this page. They are forgotten with it, and when somebody masks them again. One that lies
 * in several entries has a part in each.
 */
import { useCallback, useState } from 'react';
import { fetchSecrets, revealSecrets } from '../fetch-transcripts';
import { addRevealed, NOTHING_REVEALED, revealedIn } from './revealed-values';

export interface Reveal {
  /** What of a secret lies in an entry; undefined: it is masked. */
  valueOf: (secret: number, entry: number) => string | undefined;
  /** Secrets that are shown. */
  shown: number;
  /** What is asked about; null: nothing. */
  asked: { secret: number; rule: string } | null;
  ask: (secret: number, rule: string) => void;
  cancel: () => void;
  /** @throws Error with the server's words */
  show: (which: 'one' | 'all', reason: string) => Promise<void>;
  mask: () => void;
}

/** So many are asked for at once. */
const BATCH = 200;

export function useReveal(id: string): Reveal {
  const [values, setValues] = useState(NOTHING_REVEALED);
  const [asked, setAsked] = useState<Reveal['asked']>(null);
  const show = useCallback(
    async (which: 'one' | 'all', reason: string) => {
      if (asked === null) return;
      const numbers =
        which === 'one'
          ? [asked.secret]
          : [
              ...new Set(
                (await fetchSecrets(id, new AbortController().signal)).secrets.map(({ secret }) => secret),
              ),
            ];
      for (let from = 0; from < numbers.length; from += BATCH) {
        const { secrets } = await revealSecrets(id, numbers.slice(from, from + BATCH), reason);
        setValues((now) => addRevealed(now, secrets));
      }
      setAsked(null);
    },
    [id, asked],
  );
  return {
    valueOf: useCallback((secret: number, entry: number) => revealedIn(values, secret, entry), [values]),
    shown: values.size,
    asked,
    ask: useCallback((secret: number, rule: string) => setAsked({ secret, rule }), []),
    cancel: useCallback(() => setAsked(null), []),
    show,
    mask: useCallback(() => setValues(NOTHING_REVEALED), []),
  };
}
