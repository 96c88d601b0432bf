'use client';
/**
 * One transcript: its row, its outline, and what was lost. A page that opens at the top first shows the start of the
 * outline; the rest of a long outline follows when the first messages are drawn.
 */
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState } from 'react';
import type { TranscriptRow } from '@/core/api/transcripts';
import {
  beginningQuery,
  entriesQuery,
  transcriptQuery,
  wholeOutlineQuery,
} from '../../../data/transcript-queries';
import { tearOf } from './find-place';

export type LoadedTranscript = ReturnType<typeof useTranscript>;

/**
 * @param known the row that the server rendered
 * @param beginsAtTop whether the URL names no place. A file with a compaction still opens there, not at its top.
 */
export function useTranscript(id: string, known: TranscriptRow, beginsAtTop: boolean) {
  const [isTopFirst] = useState(beginsAtTop);
  const [isDrawn, setDrawn] = useState(false);
  const row = useQuery(transcriptQuery(id, known));
  const isStored = row.data.state === 'stored';
  const beginning = useQuery({ ...beginningQuery(id), enabled: isStored && isTopFirst });
  const begun = useMemo(
    () => beginning.data && { ...beginning.data, entries: beginning.data.columns.kind.length },
    [beginning.data],
  );
  const hasTear = begun?.state === 'read' && tearOf(row.data, begun) !== null;
  const isLong = begun?.state === 'read' && (beginning.data?.entries ?? 0) > begun.entries;
  const whole = useQuery({
    ...wholeOutlineQuery(id),
    enabled: isStored && (!isTopFirst || (isLong && (isDrawn || hasTear))),
  });
  // React renders the start at once, and the whole outline interruptibly.
  const rest = useDeferredValue(whole.data);
  const outline = rest ?? (isLong && hasTear ? null : begun) ?? null;
  // The first messages load in parallel with the outline.
  useQuery({ ...entriesQuery(id, false, 0), enabled: isStored && isTopFirst });
  return {
    row: row.data,
    /** The outline's `entries` counts only the loaded entries. */
    outline: isStored ? outline : null,
    total: (rest ?? beginning.data)?.entries ?? 0,
    error: row.error ?? beginning.error ?? whole.error,
    /** Call when the first messages are drawn. */
    loadRest: () => setDrawn(true),
  };
}
