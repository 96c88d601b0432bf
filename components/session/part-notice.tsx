import type { PartState } from './use-refreshed';

interface PartNoticeProps {
  /** What is read, as the beginning of a sentence: `The contexts`. */
  what: string;
  parts: readonly PartState[];
  className?: string;
}

/** A part that could not be read, or is waited for, says so in its own place, and offers another try. */
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
              ? `${what} could not be read. What is shown stays as it was; it is tried again by itself.`
              : `${what} take longer to read than usual. What is shown stays as it was.`}
          </span>
          <button
            type="button"
            className="button"
            onClick={() => {
              for (const part of parts) if (part.failed || part.slow) part.retry();
            }}
          >
            Try again
          </button>
        </>
      )}
    </p>
  );
}
