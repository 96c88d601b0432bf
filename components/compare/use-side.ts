'use client';
/**
 * One side, kept up to date. The live feed says that the session changed; the side is then read again as a whole, at
 * most every two seconds: it trades a little freshness for one way of reading.
 */
import { useEffect, useState } from 'react';
import { useLive } from '../live/live-provider';
import { type PartState, useRefreshed } from '../session/use-refreshed';
import { fetchSide } from './fetch-side';
import type { SideData } from './side-data';

const PERIOD_MS = 2_000;

export function useSide(initial: SideData): { data: SideData; part: PartState; gone: boolean } {
  const { client } = useLive();
  const [data, setData] = useState(initial);
  const [wanted, setWanted] = useState<number | null>(null);
  const [gone, setGone] = useState(false);
  const { id } = initial.session;

  useEffect(() => {
    let newest = 0;
    let timer: ReturnType<typeof setTimeout> | null = null;
    const leave = client.watchSession(id, (frame) => {
      setGone(frame.type === 'not_found');
      if (frame.type === 'not_found') return;
      newest = Math.max(newest, frame.session.version);
      timer ??= setTimeout(() => {
        timer = null;
        setWanted(newest);
      }, PERIOD_MS);
    });
    return () => {
      leave();
      if (timer !== null) clearTimeout(timer);
    };
  }, [client, id]);

  const part = useRefreshed(
    !gone && wanted !== null && wanted > data.figures.version ? String(wanted) : null,
    (signal) => fetchSide(id, initial.context, signal),
    (value, key) => {
      setData(value);
      return value.figures.version >= Number(key);
    },
  );
  return { data, part, gone };
}
