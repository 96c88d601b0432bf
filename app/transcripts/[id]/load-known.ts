import { cache } from 'react';
import { loadTranscript } from '@/db/queries/transcripts/transcript-row';
import { getSharedDb } from '@/db/shared-client';

/** What is known of a transcript, read once for all that a request draws; null: there is none. */
export const loadKnown = cache((id: string) => {
  const { sql } = getSharedDb();
  return loadTranscript(sql, id);
});
