'use client';
/**
 * The notes of the session on screen: the list, refreshed by the live feed, and the open note.
 * It owns the moment under the crosshair as a ref, so that moving it renders nothing.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import type { Note, NoteList } from '@/core/api/notes';
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import { useLiveRefresh } from '../data/use-live-refresh';
import { fetchNotes } from './send-note';

/** A note that is begun, or one that is opened. */
export type OpenNote = { type: 'new'; point: SeriesPoint } | { type: 'held'; note: Note };

export interface Notes {
  /** In the order of the moments they are about. */
  list: readonly Note[];
  failed: boolean;
  opened: OpenNote | null;
  open: (opened: OpenNote | null) => void;
  /** The note that is shown in the list, where a mark was pressed. */
  selectedId: string | null;
  select: (id: string | null) => void;
  /** The moment a press on the sheet picked, where it can be noted; null: none. */
  picked: SeriesPoint | null;
  pick: (point: SeriesPoint | null) => void;
  /** Where the crosshair is. */
  point: (point: SeriesPoint | null) => void;
  /** Where it is now, or was when something was picked; null: nowhere. */
  moment: () => SeriesPoint | null;
  /** Apply an own change before the feed reports it. */
  keep: (note: Note) => void;
  drop: (id: string) => void;
}

/** The part of the page's address that notes have. */
interface NotesUrl {
  /** The note that is shown in the list. */
  note: string | null;
}

export function useNotes(
  session: Session,
  initial: NoteList,
  { note: selectedId }: NotesUrl,
  change: (change: Partial<NotesUrl>) => void,
): Notes {
  const [opened, open] = useState<OpenNote | null>(null);
  const [picked, pick] = useState<SeriesPoint | null>(null);
  const crosshair = useRef<SeriesPoint | null>(null);
  const client = useQueryClient();
  const queryKey = ['sessions', session.id, 'notes'];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => fetchNotes(session.id, signal),
    initialData: initial,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  useLiveRefresh(query, session.notesVersion, initial.version);
  const setNotes = (change: (notes: readonly Note[]) => Note[]) =>
    client.setQueryData<NoteList>(queryKey, (list) => list && { ...list, notes: change(list.notes) });
  const point = useCallback((next: SeriesPoint | null) => {
    crosshair.current = next;
  }, []);
  return {
    list: query.data.notes,
    failed: query.failureCount > 0,
    opened,
    open,
    selectedId,
    select: (id) => change({ note: id }),
    picked,
    pick,
    point,
    moment: () => crosshair.current ?? picked,
    keep: (note) => setNotes((notes) => insert(notes, note)),
    drop: (id) => setNotes((notes) => notes.filter((note) => note.id !== id)),
  };
}

/** In its place; a newer text of it that is already here stays. */
export function insert(notes: readonly Note[], note: Note): Note[] {
  const known = notes.find(({ id }) => id === note.id);
  if (known && known.version > note.version) return [...notes];
  const others = notes.filter(({ id }) => id !== note.id);
  const place = others.findIndex(({ at }) => at > note.at);
  return place === -1 ? [...others, note] : others.toSpliced(place, 0, note);
}
