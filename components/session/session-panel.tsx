'use client';
import { useMemo } from 'react';
import type { SessionEvent } from '@/core/api/session';
import { isBoundaryEvent } from '../charts/list-boundaries';
import { EventList } from './event-list';
import { lensSentence } from './lens-sentence';
import { OpenedEvent } from './opened-event';
import { SessionFigures } from './session-figures';
import { SessionHead } from './session-head';
import { SessionSheet } from './session-sheet';
import { SheetControls } from './sheet-controls';
import { type SessionPageData, useSessionData } from './use-session-data';
import { useSessionUrl } from './use-session-url';

/** One session, live: figures, barogram, and what happened to it. */
export function SessionPanel({ initial }: { initial: SessionPageData }) {
  const [url, change] = useSessionUrl();
  const data = useSessionData(initial, url);
  const { session, found } = data.view;
  const opened = useMemo(() => openedEvent(data.events, url.event), [data.events, url.event]);
  const lastEndedBy =
    data.contexts.findLast((context) => context.chain === 'main' && context.endedBy !== null)?.endedBy ??
    null;
  const last = data.view.points.at(-1) ?? null;
  const before = data.view.points.at(-2);
  const change1 =
    last && last.used !== null && before && before.used !== null && before.context === last.context
      ? last.used - before.used
      : null;
  return (
    <div className="page-x pb-[48px]">
      <SessionHead session={session} />
      {found ? null : (
        <p role="status" className="border-b border-hair py-[8px]">
          This session was deleted. What is shown here is the last that was known of it.
        </p>
      )}
      <SessionFigures session={session} lastEndedBy={lastEndedBy} />
      <SheetControls session={session} url={url} change={change} />
      {url.lens === null || url.lens === session.lens ? null : (
        <p className="pt-[2px] text-ink2" role="status">
          {data.overlay === null
            ? 'Reading the other lens.'
            : lensSentence(session, url.lens, data.overlay.points.at(-1) ?? null)}
        </p>
      )}
      <p role="status" className={data.failed ? 'py-[4px]' : 'sr-only'}>
        {data.failed
          ? 'A part of this page could not be read again. What is shown stays as it was; it is tried again by itself.'
          : ''}
      </p>
      <SessionSheet data={data} url={url} selectedId={url.event} change={change} />
      <div className="mt-[18px] grid border-t border-ink lg:grid-cols-[428px_minmax(0,1fr)]">
        <EventList
          events={data.events}
          lastTurn={last === null ? null : { point: last, change: change1 }}
          selectedId={opened?.id ?? null}
          choose={(id) => change({ event: id })}
          older={data.olderEvents}
        />
        {opened === null ? null : (
          <OpenedEvent
            event={opened}
            session={session}
            archive={archiveOf(data.events, opened)}
            ordinal={ordinalOf(data.events, opened)}
          />
        )}
      </div>
    </div>
  );
}

/** The event of the address; without one the last boundary, for that is what one comes to look at. */
function openedEvent(events: readonly SessionEvent[], id: string | null): SessionEvent | null {
  const named = id === null ? undefined : events.find((event) => event.id === id);
  return named ?? events.findLast(isBoundaryEvent) ?? events.at(-1) ?? null;
}

/** An archive is taken just before its compaction: the nearest one since the compaction before. */
function archiveOf(events: readonly SessionEvent[], opened: SessionEvent): SessionEvent | null {
  if (opened.kind !== 'compaction') return null;
  const index = events.indexOf(opened);
  for (let i = index - 1; i >= 0; i -= 1) {
    const event = events[i];
    if (!event || (event.kind === 'compaction' && event.chain === opened.chain)) return null;
    if (event.kind.startsWith('archive_') && event.turn === opened.turn) return event;
  }
  return null;
}

/** Compactions and restarts are counted; an older page of events that is not loaded leaves the count out. */
function ordinalOf(events: readonly SessionEvent[], opened: SessionEvent): number | null {
  if (opened.kind === 'restart') {
    const { continuation } = opened.detail;
    return typeof continuation === 'number' ? continuation : null;
  }
  if (opened.kind !== 'compaction' || events[0]?.kind !== 'session_started') return null;
  const same = events.filter(
    (event) => event.kind === 'compaction' && event.chain === opened.chain && isCounted(event),
  );
  const index = same.indexOf(opened);
  return index === -1 ? null : index + 1;
}

function isCounted(event: SessionEvent): boolean {
  return (event.detail.state ?? 'confirmed') === 'confirmed';
}
