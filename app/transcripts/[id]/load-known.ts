import { cache } from 'react';
import { loadTranscript } from '@/db/queries/transcripts/transcript-row';
import { getSharedDb } from '@/db/shared-client';

/** A transcript's row, read once per request; null: unknown. */
export const loadKnown = cache((id: string) => loadTranscript(getSharedDb().sql, id));
