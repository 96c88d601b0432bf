'use client';
/** Loading, error or retry of one part of a page. */
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

export interface PartState {
  pending: boolean;
  /** The last read failed and is retried. */
  failed: boolean;
  /** The read takes longer than usual. */
  slow: boolean;
  retry: () => void;
}

const SLOW_MS = 3_000;

interface ReadQuery {
  isFetching: boolean;
  failureCount: number;
  refetch: () => Promise<unknown>;
}

/** The state of a query for a PartNotice. Retry cancels the current read. */
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

interface PartNoticeProps {
  /** Subject of the sentence: `The contexts`. */
  what: string;
  parts: readonly PartState[];
  className?: string;
}

/** A notice about parts that failed or are slow. */
export function PartNotice({ what, parts, className = '' }: PartNoticeProps) {
  const late = parts.filter(({ failed, slow }) => failed || slow);
  if (late.length === 0) return <p role="status" className="sr-only" />;
  return (
    <p role="status" className={`flex flex-wrap items-center gap-x-[12px] gap-y-[4px] py-[4px] ${className}`}>
      <span>
        {late.some(({ failed }) => failed)
          ? `${what} could not be read. The last data stays; retrying automatically.`
          : `${what} are slow to load. The last data stays.`}
      </span>
      <button
        type="button"
        className="button"
        onClick={() => {
          for (const { retry } of late) retry();
        }}
      >
        Retry
      </button>
    </p>
  );
}
