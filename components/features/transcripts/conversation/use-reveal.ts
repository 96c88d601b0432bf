'use client';
/** The secrets of this transcript while they are shown; a secret that spans entries has a part in each. */
import { useCallback, useState } from 'react';
import { revealSecrets } from '../transcript-queries';

export function useReveal(id: string) {
  const [values, setValues] = useState<ReadonlyMap<string, string> | null>(null);
  return {
    /** The part of a secret in an entry; undefined: it is masked. */
    valueOf: useCallback((secret: number, entry: number) => values?.get(`${secret} ${entry}`), [values]),
    isShown: values !== null,
    mask: () => setValues(null),
    /** @throws ApiError */
    show: async (reason: string) => {
      const secrets = await revealSecrets(id, reason);
      setValues(new Map(secrets.map(({ secret, entry, value }) => [`${secret} ${entry}`, value])));
    },
  };
}
