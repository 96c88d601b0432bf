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

/** The time range of a list, and a link back to now. Empty without a range. */
export function SpanWords({ from, to, change }: SpanWordsProps) {
  const zone = useTimeZone();
  if (from === null && to === null) return null;
  return (
    <>
      <p>
        {from === null ? '' : `from ${formatInstant(from.getTime(), zone)} `}
        {to === null ? '' : `up to ${formatInstant(to.getTime(), zone)}`}
      </p>
      <button type="button" className="button h-[22px]" onClick={() => change({ from: null, to: null })}>
        Back to now
      </button>
    </>
  );
}
