'use client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLive } from '../../data/live-provider';
import { useLiveRefresh } from '../../data/use-live-refresh';
import type { PartState } from '../../ui/part-notice';
import { usePartState } from '../../ui/part-notice';
import { fetchSide, type SideData } from './side-data';

/** One side of a comparison, read again as a whole when the live feed reports a newer version. */
export function useSide(initial: SideData): { data: SideData; part: PartState; gone: boolean } {
  const { client } = useLive();
  const { session, context } = initial;
  const [newest, setNewest] = useState<number | null>(null);
  const [gone, setGone] = useState(false);
  useEffect(
    () =>
      client.watchSession(session.id, (frame) => {
        setGone(frame.type === 'not_found');
        if (frame.type !== 'not_found') setNewest(frame.session.version);
      }),
    [client, session.id],
  );
  const queryKey = ['compare', session.id, context];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => fetchSide(session.id, context, signal),
    initialData: initial,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  useLiveRefresh(query, gone ? null : newest, initial.figures.version);
  return { data: query.data, part: usePartState(query, queryKey), gone };
}
