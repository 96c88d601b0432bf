'use client';
/**
 * The notes of a session: the list, refreshed by the live feed, and the open note. The moment under the crosshair is a
 * ref, so that moving the crosshair renders nothing.
 */
import { useQuery } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import type { Note, NoteList } from '@/core/api/notes';
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import { fetchJson } from '../data/fetch-json';
import { useLiveRefresh } from '../data/use-live-refresh';
import { useMay } from '../preferences/viewer';

export type Notes = ReturnType<typeof useNotes>;

export const notesPath = (sessionId: string) => `/api/v1/sessions/${encodeURIComponent(sessionId)}/notes`;

/** @param url `note`: id of the selected note */
export function useNotes(
  session: Session,
  initial: NoteList,
  url: { note: string | null },
  change: (change: { note: string | null }) => void,
) {
  const [opened, open] = useState<SeriesPoint | Note | null>(null);
  const writable = useMay()('operate', session.project);
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
    /** In order of their moments. */
    list: query.data.notes as readonly Note[],
    failed: query.failureCount > 0,
    refresh: query.refetch,
    opened,
    open,
    selectedId: url.note,
    select: (id: string | null) => change({ note: id }),
    /** Whether the viewer may write notes of this session. */
    writable,
    /** The moment of the last press on the sheet; null: none. */
    picked,
    pick,
    /** Reports the moment under the crosshair. */
    point: useCallback((next: SeriesPoint | null) => {
      crosshair.current = next;
    }, []),
    /** The moment under the crosshair, else the picked one; null: none. */
    moment: () => crosshair.current ?? picked,
  };
}
