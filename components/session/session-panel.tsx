'use client';
import { useEffect, useMemo } from 'react';
import type { SeriesPoint } from '@/core/api/series';
import { followVersion } from '../explain/asked';
import { SessionWhy } from '../explain/session-why';
import { NotesPanel } from '../notes/notes-panel';
import { useNotes } from '../notes/use-notes';
import { AdvicePanel } from './advice-panel';
import { CoveragePanel } from './coverage-panel';
import { EventList } from './event-list';
import { PrintedSession } from './export/printed-session';
import { SheetExport } from './export/sheet-export';
import { lensSentence } from './lens-sentence';
import { OpenedEvent } from './opened-event';
import { openedEvent } from './select-event';
import { SessionFigures } from './session-figures';
import { SessionHead } from './session-head';
import { SessionSheet } from './session-sheet';
import { SheetControls } from './sheet-controls';
import { TroubleLine } from './trouble-line';
import { TurnsSection } from './turns/turns-section';
import { type SessionPageData, useSessionData } from './use-session-data';
import { useSessionUrl } from './use-session-url';

/** One session, live: figures, barogram, and what happened to it. */
export function SessionPanel({ initial }: { initial: SessionPageData }) {
  const [url, change] = useSessionUrl();
  const data = useSessionData(initial, url);
  const { session, found } = data.view;
  const notes = useNotes(session, initial.notes);
  const opened = useMemo(() => openedEvent(data.events, url.event), [data.events, url.event]);
  const lastEndedBy =
    data.contexts.findLast((context) => context.chain === 'main' && context.endedBy !== null)?.endedBy ??
    null;
  const last = data.view.points.at(-1) ?? null;
  const before = data.view.points.at(-2);
  const peak = useMemo(() => openPeak(data.view.points), [data.view.points]);
  useEffect(() => followVersion((id) => (id === session.id ? session.version : undefined)), [session]);
  const change1 =
    last && last.used !== null && before && before.used !== null && before.context === last.context
      ? last.used - before.used
      : null;
  return (
    <div className="session-page page-x pb-[48px]">
      <SessionHead session={session} />
      {found ? null : (
        <p role="status" className="border-b border-hair py-[8px]">
          This session was deleted. What is shown here is the last that was known of it.
        </p>
      )}
      <TroubleLine session={session} events={data.events} open={(id) => change({ event: id })} />
      <SessionFigures session={session} lastEndedBy={lastEndedBy} peak={peak} />
      <SheetControls session={session} url={url} change={change}>
        <SheetExport data={data} url={url} />
      </SheetControls>
      {url.lens === null || url.lens === session.lens ? null : (
        <p className="pt-[2px] text-ink2" role="status">
          {data.overlay === null
            ? 'Reading the other lens.'
            : `${lensSentence(session, url.lens, data.overlay.points.at(-1) ?? null)} `}
          {data.overlay === null ? null : (
            <SessionWhy session={session} figure={url.lens} name="" className="text-ink">
              How it is reckoned
            </SessionWhy>
          )}
        </p>
      )}
      <p role="status" className={data.failed ? 'py-[4px]' : 'sr-only'}>
        {data.failed
          ? 'A part of this page could not be read again. What is shown stays as it was; it is tried again by itself.'
          : ''}
      </p>
      <SessionSheet data={data} url={url} selectedId={url.event} notes={notes} change={change} />
      <NotesPanel session={session} notes={notes} points={data.points} writable={found} />
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
            events={data.events}
            complete={!data.olderEvents.more}
            choose={(id) => change({ event: id })}
          />
        )}
      </div>
      <TurnsSection session={session} change={change} />
      <AdvicePanel session={session} compositions={data.compositions} events={data.events} />
      <CoveragePanel session={session} />
      <PrintedSession data={data} url={url} />
    </div>
  );
}

/** The highest value of the context the series ends in; thinned points keep theirs. */
function openPeak(points: readonly SeriesPoint[]): number | null {
  const open = points.at(-1)?.context;
  return points.reduce<number | null>(
    (peak, { context, max }) => (context !== open || max === null ? peak : Math.max(max, peak ?? max)),
    null,
  );
}
