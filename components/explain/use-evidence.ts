'use client';
import { useState } from 'react';
import type { Evidence } from '@/core/api/evidence';
import { useRefreshed } from '../session/use-refreshed';

async function read(id: string, signal: AbortSignal): Promise<Evidence> {
  const path = `/api/v1/sessions/${encodeURIComponent(id)}/evidence`;
  const answer = await fetch(path, { signal, headers: { accept: 'application/json' } });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return (await answer.json()) as Evidence;
}

/** The evidence of a session, read again with each of its versions; what was there stays until then. */
export function useEvidence(id: string, version: number): { evidence: Evidence | null; failed: boolean } {
  const [held, setHeld] = useState<Evidence | null>(null);
  const { failed } = useRefreshed(
    `${id} ${version}`,
    (signal) => read(id, signal),
    (value) => {
      setHeld(value);
      return value.session.version >= version;
    },
  );
  return { evidence: held?.session.id === id ? held : null, failed };
}
