'use client';
/**
 * One transcript: its row, its outline, its first entries, what was lost. It owns what was read, asks again while it is on its way or
 * being read, and after a failure; what was read stays. Each of the three fails alone. Of a long outline the first entries
 * come alone, so that the first messages wait for no more than themselves; all of it takes their place once nobody scrolls or
 * presses for a moment, or as soon as somebody goes where they end.
 */
import { startTransition, useCallback, useEffect, useRef, useState } from 'react';
import type { TranscriptMessages, TranscriptOutline } from '@/core/api/transcript-contents';
import type { TranscriptLost } from '@/core/api/transcript-lost';
import type { TranscriptRow } from '@/core/api/transcripts';
import {
  fetchBeginning,
  fetchLost,
  fetchMessages,
  fetchOutline,
  fetchTranscript,
  RefusedError,
} from '../fetch-transcripts';
import { runInSlices } from '../run-in-slices';
import { whenAtRest } from '../when-at-rest';
import { PAGE_ENTRIES } from './entry-pages';
import { warmRows } from './prepare-rows';

const READING_MS = 700;
const UPLOADING_MS = 3_000;
const FAILED_MS = 4_000;

export interface TranscriptPage {
  row: TranscriptRow | null;
  /** Of as many entries as are here: `entries` counts these. */
  outline: TranscriptOutline | null;
  /** All entries of the file. */
  total: number;
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
  /** Somebody is about to go where the outline does not reach yet. */
  hurry: () => void;
}

type Held = Omit<TranscriptPage, 'refresh' | 'hurry'>;

const NOTHING: Held = {
  row: null,
  outline: null,
  total: 0,
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
  const hurried = useRef<(() => void) | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` says when to read anew; where one begins is settled once
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // What the page came with is good for one reading.
    let fresh = round === 0 ? known : null;
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
    /** True: there is something to read. False: it is on its way, or gone. */
    const takeRow = (row: TranscriptRow): boolean => {
      put({ row, failed: null, isMissing: false });
      // Of another address than this one: the page goes there.
      if (row.state === 'stored' && row.id === id) return true;
      put({ outline: null, total: 0, lost: null });
      return false;
    };
    const readBeginning = async () => {
      const [beginning, first] = await Promise.all([
        fetchBeginning(id, signal),
        fetchMessages(id, { from: 0, count: PAGE_ENTRIES }, signal).catch(() => null),
      ]);
      const { entries: total, columns } = beginning;
      put({
        outline: { ...beginning, entries: columns.kind.length },
        total,
        first: beginning.state === 'read' && first?.state === 'read' ? first : null,
      });
      return beginning;
    };
    const hurry = new Promise<void>((resolve) => {
      hurried.current = resolve;
    });
    const readRest = async () => {
      await whenAtRest(hurry, signal);
      await readWhole();
    };
    const readWhole = async () => {
      const outline = await fetchOutline(id, signal);
      // Most of the work is done before the page is drawn with it.
      await runInSlices(warmRows(outline), signal);
      startTransition(() => put({ outline, total: outline.entries }));
      return outline;
    };
    const read = async () => {
      try {
        // The page came with the row: the rest need not wait for it, and it is looked at anew beside that.
        const told = fresh;
        fresh = null;
        const asked = fetchTranscript(id, signal);
        asked.catch(() => undefined);
        const row = told ?? (await asked);
        if (!takeRow(row)) {
          if (row.state === 'uploading' || row.state === 'announced' || row.heldUp) again(UPLOADING_MS);
          return;
        }
        const outline = beginsAtTop ? await readBeginning() : await readWhole();
        if (told !== null && !takeRow(await asked)) return;
        if (outline.state === 'waiting' || outline.state === 'reading') return again(READING_MS);
        await Promise.all([
          readLost(),
          outline.entries > outline.columns.kind.length ? readRest() : undefined,
        ]);
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

  return {
    ...held,
    refresh: useCallback(() => setRound((count) => count + 1), []),
    hurry: useCallback(() => hurried.current?.(), []),
  };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
