'use client';
import { mayRetry } from '../data/fetch-json';

export interface PartState {
  pending: boolean;
  /** The last read failed and is retried. */
  failed: boolean;
  retry: () => void;
}

export function partState(query: {
  isFetching: boolean;
  failureCount: number;
  refetch: () => unknown;
}): PartState {
  return { pending: query.isFetching, failed: query.failureCount > 0, retry: () => void query.refetch() };
}

interface PartNoticeProps {
  /** Subject of the sentence: `The contexts`. */
  what: string;
  parts: readonly PartState[];
  className?: string;
}

export function PartNotice({ what, parts, className = '' }: PartNoticeProps) {
  const failed = parts.filter((part) => part.failed);
  if (failed.length === 0) return <p role="status" className="sr-only" />;
  return (
    <p role="status" className={`flex flex-wrap items-center gap-x-[12px] gap-y-[4px] py-[4px] ${className}`}>
      <span>{what} could not be read. Showing the last data; retrying automatically.</span>
      <button
        type="button"
        className="button"
        onClick={() => {
          for (const { retry } of failed) retry();
        }}
      >
        Retry
      </button>
    </p>
  );
}

interface ReadFailureProps {
  /** What is read, as the subject of a sentence: `The transcripts`. */
  what: string;
  /** Null: the last read succeeded. */
  error: Error | null;
  hasData: boolean;
}

/** A notice about the failed read of a page; the text is empty without a failure. */
export function ReadFailure({ what, error, hasData }: ReadFailureProps) {
  return (
    <p role="status" className={error === null ? 'sr-only' : 'border-t border-hair py-[8px]'}>
      {error && `${what} could not be ${hasData ? 'refreshed and may be outdated' : 'loaded'}. `}
      {error && mayRetry(error) ? 'Retrying automatically. ' : ''}
      <span className="text-ink2">{error?.message}</span>
    </p>
  );
}
