'use client';
/** Secrets that were shown on this page. They are forgotten with it, and when somebody masks them again. */
import { useCallback, useState } from 'react';
import { fetchSecrets, revealSecrets } from '../fetch-transcripts';

export interface Reveal {
  values: ReadonlyMap<number, string>;
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
const NONE: ReadonlyMap<number, string> = new Map();

export function useReveal(id: string): Reveal {
  const [values, setValues] = useState(NONE);
  const [asked, setAsked] = useState<Reveal['asked']>(null);
  const show = useCallback(
    async (which: 'one' | 'all', reason: string) => {
      if (asked === null) return;
      const numbers =
        which === 'one'
          ? [asked.secret]
          : (await fetchSecrets(id, new AbortController().signal)).secrets.map(({ secret }) => secret);
      for (let from = 0; from < numbers.length; from += BATCH) {
        const { secrets } = await revealSecrets(id, numbers.slice(from, from + BATCH), reason);
        setValues((now) => {
          const next = new Map(now);
          for (const { secret, value } of secrets) next.set(secret, value);
          return next;
        });
      }
      setAsked(null);
    },
    [id, asked],
  );
  return {
    values,
    asked,
    ask: useCallback((secret: number, rule: string) => setAsked({ secret, rule }), []),
    cancel: useCallback(() => setAsked(null), []),
    show,
    mask: useCallback(() => setValues(NONE), []),
  };
}
