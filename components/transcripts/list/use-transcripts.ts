'use client';
/**
 * The rows of a question. It owns what was read; what is on screen stays until its successor is here. News of
 * archives come with the feed of events and are looked up; older rows are read as one scrolls.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import { useLive } from '../../live/live-provider';
import { fetchTranscripts } from '../fetch-transcripts';
import { type HeldRows, takeFirst, takeMore, takeOlder } from './hold-rows';

/** Typing asks once it rests. */
const TYPING_MS = 250;
/** News come together: an archive and its compaction. */
const NEWS_MS = 400;
/** While something is on its way, its row is looked at again. */
const UPLOADING_MS = 3_000;
/** Nobody tells of a state that changes without an event, nor of what a full disk keeps out. */
const QUIET_MS = 20_000;

/** Which part of the answer is read. */
interface Part {
  cursor: string | null;
  searchFrom: string | null;
  isOlder?: boolean;
}
const FIRST: Part = { cursor: null, searchFrom: null };

export interface TranscriptsState {
  /** Null: nothing was read yet. */
  held: HeldRows | null;
  reading: 'first' | 'more' | 'older' | null;
  failed: string | null;
  more: () => void;
  /** Looks for the words in what the search did not reach. */
  searchOn: () => void;
  retry: () => void;
}

export function useTranscripts(search: string): TranscriptsState {
  const { client } = useLive();
  const [held, setHeld] = useState<HeldRows | null>(null);
  const [reading, setReading] = useState<TranscriptsState['reading']>(null);
  const [failed, setFailed] = useState<string | null>(null);
  const [news, setNews] = useState(0);
  const under = useRef<AbortController | null>(null);
  const asked = useRef<string | null>(null);

  const ask = useCallback(async (question: string, { cursor, searchFrom, isOlder = false }: Part) => {
    under.current?.abort();
    const control = new AbortController();
    under.current = control;
    setReading(isOlder ? 'older' : cursor === null ? 'first' : 'more');
    try {
      const page = await fetchTranscripts(question, { cursor, searchFrom }, control.signal);
      if (control.signal.aborted) return;
      setHeld((now) => {
        if (isOlder && searchFrom !== null) return takeOlder(now, page, searchFrom);
        return cursor === null ? takeFirst(now, page, question) : takeMore(now, page);
      });
      setFailed(null);
    } catch (error) {
      if (control.signal.aborted) return;
      setFailed(error instanceof Error ? error.message : String(error));
    }
    setReading(null);
  }, []);

  useEffect(() => {
    if (asked.current === search) return;
    const wait = asked.current === null ? 0 : TYPING_MS;
    asked.current = search;
    setReading('first');
    const timer = setTimeout(() => void ask(search, FIRST), wait);
    return () => {
      clearTimeout(timer);
      // What was not asked for is asked for again.
      if (asked.current === search) asked.current = '\u0000';
    };
  }, [search, ask]);

  const isMoving = held?.rows.some(({ state, heldUp }) => state === 'uploading' || heldUp) ?? false;
  useEffect(() => {
    if (news === 0) return;
    const timer = setTimeout(() => {
      if (document.visibilityState === 'visible') void ask(search, FIRST);
    }, NEWS_MS);
    return () => clearTimeout(timer);
  }, [news, search, ask]);
  useEffect(() => {
    const tell = () => setNews((count) => count + 1);
    const timer = setInterval(tell, isMoving ? UPLOADING_MS : QUIET_MS);
    const leave = client.watchEvents((frame) => {
      const kinds = frame.events.map(({ kind }) => kind);
      if (frame.type === 'events_delta' && kinds.some((kind) => /^archive_|^compaction$/.test(kind))) tell();
    });
    return () => {
      clearInterval(timer);
      leave();
    };
  }, [client, isMoving]);
  useEffect(() => () => under.current?.abort(), []);

  const cursor = held?.cursor ?? null;
  const searched = held?.searched ?? null;
  const searchCursor = held?.searchCursor ?? null;
  return {
    held,
    reading,
    failed,
    more: useCallback(() => {
      if (cursor !== null) void ask(search, { cursor, searchFrom: searched });
    }, [ask, cursor, searched, search]),
    searchOn: useCallback(() => {
      if (searchCursor !== null) void ask(search, { cursor: null, searchFrom: searchCursor, isOlder: true });
    }, [ask, searchCursor, search]),
    retry: useCallback(() => void ask(search, FIRST), [ask, search]),
  };
}
