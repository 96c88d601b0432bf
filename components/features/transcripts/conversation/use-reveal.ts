'use client';
/** The secrets of this transcript while they are shown; a secret that spans entries has a part in each. */
import { useCallback, useState } from 'react';
import type { Revealed } from '@/core/api/transcript-secrets';
import { revealSecrets } from '../transcript-queries';

export interface Reveal {
  /** The part of a secret in an entry; undefined: it is masked. */
  valueOf: (secret: number, entry: number) => string | undefined;
  isShown: boolean;
  isAsking: boolean;
  ask: () => void;
  cancel: () => void;
  /** @throws Error with the server's reason */
  show: (reason: string) => Promise<void>;
  mask: () => void;
}

export function useReveal(id: string): Reveal {
  const [values, setValues] = useState<ReadonlyMap<string, string> | null>(null);
  const [isAsking, setAsking] = useState(false);
  return {
    valueOf: useCallback((secret, entry) => values?.get(keyOf({ secret, entry })), [values]),
    isShown: values !== null,
    isAsking,
    ask: useCallback(() => setAsking(true), []),
    cancel: useCallback(() => setAsking(false), []),
    show: async (reason) => {
      const secrets = await revealSecrets(id, reason);
      setValues(new Map(secrets.map((secret) => [keyOf(secret), secret.value])));
      setAsking(false);
    },
    mask: useCallback(() => setValues(null), []),
  };
}

const keyOf = ({ secret, entry }: Pick<Revealed['secrets'][number], 'secret' | 'entry'>) =>
  `${secret} ${entry}`;
