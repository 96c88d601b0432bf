'use client';
/**
 * The notes of the session on screen: the list, refreshed by the live feed, and the open note.
 * It owns the moment under the crosshair as a ref, so that moving it renders nothing.
 */
import { useQuery } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import type { Note, NoteList } from '@/core/api/notes';
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import { fetchJson } from '../data/fetch-json';
import { useLiveRefresh } from '../data/use-live-refresh';

export type Notes = ReturnType<typeof useNotes>;

export const notesPath = (sessionId: string) => `/api/v1/sessions/${encodeURIComponent(sessionId)}/notes`;

/** @param url its `note` is the one that is selected in the list */
export function useNotes(
  session: Session,
  initial: NoteList,
  url: { note: string | null },
  change: (change: { note: string | null }) => void,
) {
  /** A moment to write at, or a note to edit. */
  const [opened, open] = useState<SeriesPoint | Note | null>(null);
  const [picked, pick] = useState<SeriesPoint | null>(null);
  const crosshair = useRef<SeriesPoint | null>(null);
  const query = useQuery({
    queryKey: ['sessions', session.id, 'notes'],
    queryFn: ({ signal }) => fetchJson<NoteList>(notesPath(session.id), { signal }),
    initialData: initial,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  useLiveRefresh(query, session.notesVersion, initial.version);
  return {
    /** In the order of the moments they are about. */
    list: query.data.notes as readonly Note[],
    failed: query.failureCount > 0,
    /** After an own change, before the feed reports it. */
    refresh: query.refetch,
    opened,
    open,
    selectedId: url.note,
    select: (id: string | null) => change({ note: id }),
    /** The moment a press on the sheet picked, where it can be noted; null: none. */
    picked,
    pick,
    /** Where the crosshair is. */
    point: useCallback((next: SeriesPoint | null) => {
      crosshair.current = next;
    }, []),
    /** Where it is now, or was when something was picked; null: nowhere. */
    moment: () => crosshair.current ?? picked,
  };
}
