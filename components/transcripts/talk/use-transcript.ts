'use client';
/**
 * One transcript: its row, its outline, what was lost. It owns what was read, asks again while it is on its way or
 * being read, and after a failure; what was read stays. Each of the three fails alone.
 */
import { useCallback, useEffect, useState } from 'react';
import type { TranscriptLost, TranscriptOutline } from '@/core/api/transcript-contents';
import type { TranscriptRow } from '@/core/api/transcripts';
import { fetchLost, fetchOutline, fetchTranscript, RefusedError } from '../fetch-transcripts';

const READING_MS = 700;
const UPLOADING_MS = 3_000;
const FAILED_MS = 4_000;

export interface TranscriptPage {
  row: TranscriptRow | null;
  outline: TranscriptOutline | null;
  lost: TranscriptLost | null;
  lostFailed: string | null;
  /** Why the last reading did not succeed; it is tried again by itself. */
  failed: string | null;
  /** There is none of this id. */
  isMissing: boolean;
  /** Reads it anew, as after a deletion. */
  refresh: () => void;
}

type Held = Omit<TranscriptPage, 'refresh'>;

const NOTHING: Held = {
  row: null,
  outline: null,
  lost: null,
  lostFailed: null,
  failed: null,
  isMissing: false,
};

export function useTranscript(id: string): TranscriptPage {
  const [held, setHeld] = useState<Held>(NOTHING);
  const [round, setRound] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` says when to read anew
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const put = (part: Partial<Held>) => {
      if (!signal.aborted) setHeld((now) => ({ ...now, ...part }));
    };
    const again = (waitMs: number) => {
      if (!signal.aborted) timer = setTimeout(() => void read(), waitMs);
    };
    const readLost = async () => {
      try {
        put({ lost: await fetchLost(id, signal), lostFailed: null });
      } catch (error) {
        put({ lostFailed: wordsOf(error) });
      }
    };
    const read = async () => {
      try {
        // Both at once: most often it is stored and read, and somebody waits.
        const outlined = fetchOutline(id, signal);
        outlined.catch(() => undefined);
        const row = await fetchTranscript(id, signal);
        put({ row, failed: null, isMissing: false });
        if (row.state !== 'stored') {
          put({ outline: null, lost: null });
          if (row.state === 'uploading' || row.state === 'announced') again(UPLOADING_MS);
          return;
        }
        const outline = await outlined;
        put({ outline });
        if (outline.state === 'waiting' || outline.state === 'reading') return again(READING_MS);
        await readLost();
      } catch (error) {
        if (error instanceof RefusedError && error.status === 404) return put({ isMissing: true });
        put({ failed: wordsOf(error) });
        again(FAILED_MS);
      }
    };
    void read();
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [id, round]);

  return { ...held, refresh: useCallback(() => setRound((count) => count + 1), []) };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
