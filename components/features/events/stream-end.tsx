import Link from 'next/link';
import { MOST_EVENTS } from '@/core/live/event-stream';
import { formatExact } from '../../format/format-tokens';
import type { Reading } from './use-event-stream';

interface StreamEndProps {
  isEmpty: boolean;
  filtered: boolean;
  reading: Reading;
  hasOlder: boolean;
  count: number;
  loadOlder: () => void;
  retry: () => void;
}

/** The end of the stream: more rows, an error with Retry, or nothing more. */
export function StreamEnd({ reading, ...props }: StreamEndProps) {
  const { isEmpty, filtered, hasOlder, count, loadOlder, retry } = props;
  if (reading?.what === 'first' && reading.failed === null) {
    return <End>{isEmpty ? 'Reading the events …' : ''}</End>;
  }
  if (reading?.failed != null) {
    if (reading.what === 'first') return null;
    return (
      <div role="alert" className="flex flex-wrap items-center gap-[12px] py-[14px]">
        <p>
          Older events could not be read: {reading.failed}.{' '}
          <span className="text-ink2">What is shown stays.</span>
        </p>
        <button type="button" className="button" onClick={retry}>
          Retry
        </button>
      </div>
    );
  }
  if (reading !== null) return <End>Reading older events …</End>;
  if (hasOlder) {
    return (
      <button type="button" className="link my-[14px] text-small text-ink2" onClick={loadOlder}>
        Older events
      </button>
    );
  }
  if (isEmpty && filtered) return <End>No event matches. New ones that do appear here by themselves.</End>;
  if (isEmpty) {
    return (
      <End>
        No event yet: the first turn of a session brings one, without a reload.{' '}
        <Link href="/connect" className="link text-ink">
          Connect a runner
        </Link>
      </End>
    );
  }
  if (count >= MOST_EVENTS) {
    return <End>{formatExact(count)} events: narrow them to look further back.</End>;
  }
  return <End>{filtered ? 'No older event matches.' : 'The first event on record.'}</End>;
}

function End({ children }: { children: React.ReactNode }) {
  return <p className="py-[14px] text-ink2">{children}</p>;
}
