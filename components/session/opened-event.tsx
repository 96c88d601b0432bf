'use client';
import { Suspense } from 'react';
import type { Session, SessionEvent } from '@/core/api/session';
import { troubleSentence } from '@/core/api/trouble-sentence';
import { formatInstant } from '../format/format-time';
import { formatCount, formatExact } from '../format/format-tokens';
import { useTimeZone } from '../live/use-time-zone';
import { lazyPart } from '../ui/lazy-part';
import { count, describeEvent, word } from './describe-event';
import { Facts, Sentence, tokensWord } from './event-facts';
import { archiveIn, archiveOf, compactionOf, ordinalOf } from './select-event';
import type { HeldDetails } from './use-event-details';

// A session has one of them open at a time: the others are read when one is.
const OpenedArchive = lazyPart(() => import('./opened-archive'));
const OpenedCompaction = lazyPart(() => import('./opened-compaction'));
const OpenedCompression = lazyPart(() => import('./opened-compression'));
const OpenedRestart = lazyPart(() => import('./opened-restart'));
const OpenedState = lazyPart(() => import('./opened-state'));

interface OpenedEventProps {
  event: SessionEvent;
  session: Session;
  /** Oldest first. */
  events: readonly SessionEvent[];
  /** Whether these are all: compactions cannot be counted from a part. */
  complete: boolean;
  /** What the list does not tell of it. */
  more: HeldDetails;
  choose: (id: string) => void;
}

/** The opened event: what it did, in figures and in words. Everything from a runner is plain text. */
export function OpenedEvent(props: OpenedEventProps) {
  const { event, events, complete } = props;
  const zone = useTimeZone();
  return (
    <section aria-label="Opened event" className="min-w-0">
      <div className="flex flex-wrap items-baseline gap-x-[14px] pb-[14px]">
        <h2 className="text-title">{title(event, ordinalOf(events, event, complete))}</h2>
        <span className="text-ink2">{contextWords(event)}</span>
        <time dateTime={event.at} className="num ml-auto text-small text-ink2">
          {formatInstant(event.at, zone)}
        </time>
      </div>
      <Suspense>
        <Body {...props} />
      </Suspense>
    </section>
  );
}

function Body({ event, session, events, complete, more, choose }: OpenedEventProps) {
  const { detail } = event;
  switch (event.kind) {
    case 'compaction':
      return (
        <OpenedCompaction
          event={event}
          session={session}
          archive={archiveOf(events, event)}
          calls={more.details?.calls ?? null}
        />
      );
    // Keyed: a fold that was opened for one restart is not open for the next.
    case 'restart':
      return <OpenedRestart key={event.id} event={event} more={more} />;
    case 'state_changed':
    case 'approaching_redline':
    case 'redlined':
      return <OpenedState event={event} session={session} />;
    case 'archive_stored':
    case 'archive_skipped':
    case 'archive_failed':
    case 'archive_delayed':
    case 'archive_damaged':
    case 'archive_healed': {
      const compaction = compactionOf(events, event);
      return (
        <OpenedArchive
          event={event}
          archive={archiveIn(event)}
          session={session}
          compaction={
            compaction && {
              event: compaction,
              name: title(compaction, ordinalOf(events, compaction, complete)),
            }
          }
          choose={choose}
        />
      );
    }
    case 'context_cleared':
      return (
        <>
          <Facts
            rows={[
              ['cleared', tokensWord(detail.tokensCleared)],
              ['after turn', formatExact(event.turn)],
            ]}
          />
          <Sentence>The context was emptied: the next turn begins a fresh one.</Sentence>
        </>
      );
    case 'context_compressed':
      return <OpenedCompression event={event} session={session} />;
    case 'tracking_disabled':
      return (
        <>
          <Facts
            rows={[
              ['why', `turn ${formatExact(event.turn)} came without usage`],
              ['since turn', formatExact(event.turn)],
            ]}
          />
          <Sentence>
            The sums of this context would be wrong from here on, so the session is shown as not tracked.
            Tracking returns with the first turn that has usage after the next boundary.
          </Sentence>
        </>
      );
    case 'tracking_enabled':
      return (
        <>
          <Facts
            rows={[
              ['why', `turn ${formatExact(event.turn)} has usage again`],
              ['since turn', formatExact(event.turn)],
            ]}
          />
          <Sentence>A boundary lies before it, so the sums of this context are whole.</Sentence>
        </>
      );
    case 'turns_dropped':
      return <Dropped event={event} />;
    case 'thrash':
    case 'cache_storm':
      return (
        <>
          <Facts rows={[['after turn', formatExact(event.turn)]]} />
          <Sentence>{troubleSentence(event.kind, detail)}</Sentence>
        </>
      );
    default:
      return (
        <Facts
          rows={[
            ['reason', word(detail.reason) || 'not stated'],
            ['after turn', formatExact(event.turn)],
          ]}
        />
      );
  }
}

function Dropped({ event: { detail } }: { event: SessionEvent }) {
  const lost = count(detail.count);
  const from = count(detail.from);
  const to = count(detail.to);
  return (
    <>
      <Facts
        rows={[
          ['lost', lost === null ? 'not stated' : formatCount(lost, 'turn')],
          [
            'sequence',
            from === null ? 'not stated' : `${formatExact(from)}–${to === null ? '?' : formatExact(to)}`,
          ],
          ['reason', word(detail.reason) || 'not stated'],
        ]}
      />
      <Sentence>Sums are a lower bound, shown with ≥, until the next boundary.</Sentence>
    </>
  );
}

function title(event: SessionEvent, ordinal: number | null): string {
  const { name, text } = describeEvent(event);
  if (event.kind === 'compaction' || event.kind === 'restart') {
    const word = event.kind === 'compaction' ? 'Compaction' : 'Restart';
    return ordinal === null ? word : `${word} ${ordinal}`;
  }
  if (event.kind === 'state_changed') return text.charAt(0).toUpperCase() + text.slice(1);
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function contextWords({ chain, context, detail }: SessionEvent): string {
  const before = count(detail.contextBefore);
  const after = count(detail.contextAfter);
  const where = before !== null && after !== null ? `context ${before} → ${after}` : `context ${context}`;
  return chain === 'main' ? where : `${where}, sub-agent ${chain}`;
}
