'use client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLive } from '../../data/live-provider';
import { useLiveRefresh } from '../../data/use-live-refresh';
import { partState } from '../../ui/part-notice';
import { fetchSide, type Side } from './side-data';

/** A side of a comparison. When the live feed reports a newer version, all data is read again. Null data: not found. */
export function useSide(side: Side) {
  const { client } = useLive();
  const initial = side.type === 'found' ? side.data : null;
  const id = initial?.session.id ?? '';
  const context = initial?.context ?? null;
  const [newest, setNewest] = useState<number | null>(null);
  const [gone, setGone] = useState(false);
  useEffect(() => {
    if (id === '') return;
    return client.watchSession(id, (frame) => {
      setGone(frame.type === 'not_found');
      if (frame.type !== 'not_found') setNewest(frame.session.version);
    });
  }, [client, id]);
  const queryKey = ['compare', id, context];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => fetchSide(id, context, signal),
    ...(initial !== null && { initialData: initial }),
    enabled: initial !== null,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  useLiveRefresh(query, gone ? null : newest, initial?.figures.version ?? null);
  return {
    data: initial === null ? null : (query.data ?? initial),
    part: partState(query),
    gone,
  };
}

export type LiveSide = ReturnType<typeof useSide>;
