'use client';
import { useTimeZone } from '../data/use-time-zone';
import { formatInstant } from '../format/format-time';

interface Span {
  from: Date | null;
  to: Date | null;
}

interface SpanWordsProps extends Span {
  change: (span: Span) => void;
}

const STEP_MS = 10 * 60_000;

/** The stretch of time that a list shows, the way on, and the way back to now. Nothing where it is all of it. */
export function SpanWords({ from, to, change }: SpanWordsProps) {
  const zone = useTimeZone();
  if (from === null && to === null) return null;
  return (
    <>
      <p>
        {from === null ? '' : `from ${formatInstant(from.getTime(), zone)} `}
        {to === null ? '' : `up to ${formatInstant(to.getTime(), zone)}`}
      </p>
      {to === null ? null : (
        <button
          type="button"
          className="button h-[22px]"
          onClick={() => {
            const later = to.getTime() + STEP_MS;
            change({ from, to: later >= Date.now() ? null : new Date(later) });
          }}
        >
          10 min later
        </button>
      )}
      <button type="button" className="button h-[22px]" onClick={() => change({ from: null, to: null })}>
        Back to now
      </button>
    </>
  );
}
