'use client';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { PartState } from './part-notice';

/** A read that takes longer is reported as slow, milliseconds. */
const SLOW_MS = 3_000;

interface ReadQuery {
  isFetching: boolean;
  failureCount: number;
  refetch: () => Promise<unknown>;
}

/** The state of a query for a PartNotice. Retry cancels a read that does not answer. */
export function usePartState(
  { isFetching, failureCount, refetch }: ReadQuery,
  queryKey: QueryKey,
): PartState {
  const client = useQueryClient();
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!isFetching) return;
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [isFetching]);
  const retry = async () => {
    await client.cancelQueries({ queryKey, exact: true });
    await refetch();
  };
  return { pending: isFetching, failed: failureCount > 0, slow, retry: () => void retry() };
}
