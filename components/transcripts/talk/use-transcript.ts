'use client';
/**
 * One transcript: its row, its outline, its first entries, what was lost. It owns what was read, asks again while it is on its way or
 * being read, and after a failure; what was read stays. Each of the three fails alone.
 */
import { useCallback, useEffect, useState } from 'react';
import type { TranscriptLost, TranscriptMessages, TranscriptOutline } from '@/core/api/transcript-contents';
import type { TranscriptRow } from '@/core/api/transcripts';
import { fetchLost, fetchMessages, fetchOutline, fetchTranscript, RefusedError } from '../fetch-transcripts';
import { PAGE_ENTRIES } from './entry-pages';

const READING_MS = 700;
const UPLOADING_MS = 3_000;
const FAILED_MS = 4_000;

export interface TranscriptPage {
  row: TranscriptRow | null;
  outline: TranscriptOutline | null;
  /** The first page of entries, where it was asked for together with the outline. */
  first: TranscriptMessages | null;
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
  first: null,
  lost: null,
  lostFailed: null,
  failed: null,
  isMissing: false,
};

export interface TranscriptAsked {
  /** The row as the page came with it. */
  known: TranscriptRow | null;
  /** The first entries are what is looked at first. */
  beginsAtTop: boolean;
}

export function useTranscript(id: string, { known, beginsAtTop }: TranscriptAsked): TranscriptPage {
  const [held, setHeld] = useState<Held>({ ...NOTHING, row: known });
  const [round, setRound] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` says when to read anew; where one begins is settled once
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
        // All at once: most often it is stored and read, and somebody waits.
        const outlined = fetchOutline(id, signal);
        outlined.catch(() => undefined);
        const begun = beginsAtTop
          ? fetchMessages(id, { from: 0, count: PAGE_ENTRIES }, signal).catch(() => null)
          : null;
        const row = await fetchTranscript(id, signal);
        put({ row, failed: null, isMissing: false });
        if (row.state !== 'stored') {
          put({ outline: null, lost: null });
          if (row.state === 'uploading' || row.state === 'announced') again(UPLOADING_MS);
          return;
        }
        const outline = await outlined;
        const first = outline.state === 'read' ? await begun : null;
        put({ outline, first: first?.state === 'read' ? first : null });
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
