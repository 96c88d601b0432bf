/** Loading, error or retry of one part of a page. */
export interface PartState {
  /** A read is under way. */
  pending: boolean;
  /** The last read failed; it is retried automatically. */
  failed: boolean;
  /** The read takes longer than usual. */
  slow: boolean;
  retry: () => void;
}

interface PartNoticeProps {
  /** What is read, as the subject of a sentence: `The contexts`. */
  what: string;
  parts: readonly PartState[];
  className?: string;
}

/** A notice in place of the part that failed or is slow, with a Retry button. */
export function PartNotice({ what, parts, className = '' }: PartNoticeProps) {
  const failed = parts.some((part) => part.failed);
  const isQuiet = !failed && !parts.some(({ slow }) => slow);
  return (
    <p
      role="status"
      className={
        isQuiet ? 'sr-only' : `flex flex-wrap items-center gap-x-[12px] gap-y-[4px] py-[4px] ${className}`
      }
    >
      {isQuiet ? null : (
        <>
          <span>
            {failed
              ? `${what} could not be read. The last data stays; retrying automatically.`
              : `${what} are slow to load. The last data stays.`}
          </span>
          <button
            type="button"
            className="button"
            onClick={() => {
              for (const part of parts) if (part.failed || part.slow) part.retry();
            }}
          >
            Retry
          </button>
        </>
      )}
    </p>
  );
}
