'use client';
import Link from 'next/link';
import { Suspense, useEffect, useMemo, useState } from 'react';
import { lensDoubt } from '@/core/api/coverage';
import { useTimeZone } from '../../data/use-time-zone';
import { followVersion } from '../../explain/asked';
import { NotesPanel } from '../../notes/notes-panel';
import { useNotes } from '../../notes/use-notes';
import { lazyPart } from '../../ui/lazy-part';
import { PanelBoundary } from '../../ui/panel-boundary';
import { PartNotice } from '../../ui/part-notice';
import { BoundaryCost } from './boundary-cost';
import { ContextsSection } from './contexts-section';
import { CoveragePanel } from './coverage-panel';
import { EventList } from './event-list';
import { lastCostly, openedEvent } from './select-event';
import { SessionFigures } from './session-figures';
import { SessionHead, TroubleLine } from './session-head';
import { Figure, SessionPageContext, useSessionPage } from './session-page';
import { useEventDetails } from './session-reads';
import { SessionSheet } from './session-sheet';
import { useSessionUrl } from './session-url';
import { lensSentence } from './session-words';
import { SheetControls } from './sheet-controls';
import { TurnsSection } from './turns/turns-section';
import { type SessionPageData, useSessionData } from './use-session-data';

const AdvicePanel = lazyPart(() => import('./advice-panel'));
const OpenedEvent = lazyPart(() => import('./opened-event'));

const OPENED_EVENT = 'opened-event';

/**
 * One session, live: figures, barogram, events, contexts and turns.
 * @param seed SessionPageData as JSON text, which is faster than Next's own serialisation
 */
export function SessionPanel({ seed }: { seed: string }) {
  const [initial] = useState(() => JSON.parse(seed) as SessionPageData);
  const [url, change] = useSessionUrl();
  const data = useSessionData(initial, url);
  const { session, found, points } = data.view;
  const zone = useTimeZone();
  const notes = useNotes(session, initial.notes, url, change);
  const { event, from, to } = url;
  const opened = useMemo(() => openedEvent(data.events, event, { from, to }), [data.events, event, from, to]);
  const costly = useMemo(() => lastCostly(data.events), [data.events]);
  const cost = useEventDetails(costly, session, initial.details);
  const isCostly = opened !== null && opened.id === costly?.id;
  const other = useEventDetails(isCostly ? null : opened, session);
  const more = isCostly ? cost : other;
  const show = (id: string) => {
    change({ event: id });
    document.getElementById(OPENED_EVENT)?.scrollIntoView({ block: 'start', behavior: 'smooth' });
  };
  const doubt = lensDoubt(session);
  const page = { data, session, points, url, change, notes, zone };
  useEffect(() => followVersion((id) => (id === session.id ? session.version : undefined)), [session]);
  return (
    <SessionPageContext value={page}>
      <div className="page-x wide-type pb-[16px]">
        <SessionHead />
        {found ? null : <Gone movedTo={data.view.movedTo} />}
        <TroubleLine />
        <div className="max-md:grid max-md:grid-cols-[1fr_auto]">
          <SessionFigures>
            <BoundaryCost event={costly} held={cost} open={show} />
          </SessionFigures>
          <SheetControls />
        </div>
        {doubt === null ? null : <p role="status">{doubt}</p>}
        <OtherLens />
        <PartNotice what="The turns of the other lens" parts={data.parts.lens} />
        <PartNotice what="The turns of the chart" parts={data.parts.sheet} />
        <PanelBoundary name="The barogram">
          <SessionSheet />
        </PanelBoundary>
        <div className="mt-[8px] grid border-t border-ink lg:grid-cols-[calc(428px*var(--ui))_minmax(0,1fr)]">
          <PanelBoundary name="The events">
            <EventList selectedId={opened?.id ?? null} />
          </PanelBoundary>
          <div id={OPENED_EVENT} className="min-w-0 scroll-mt-[10px] pt-[10px] lg:pl-[24px]">
            {url.event === null || opened?.id === url.event || data.loading ? null : (
              <p role="status" className="mb-[12px] border-l-2 border-ink pl-[12px]">
                The event of this link is not in the session. Showing the last boundary instead.{' '}
                <button type="button" className="link text-small" onClick={() => change({ event: null })}>
                  Dismiss
                </button>
              </p>
            )}
            {opened === null ? null : (
              <PanelBoundary key={opened.id} name="The opened event">
                <PartNotice what="The calls and texts of this event" parts={[more.part]} />
                <Suspense>
                  <OpenedEvent event={opened} more={more} />
                </Suspense>
              </PanelBoundary>
            )}
          </div>
        </div>
        {/* Folded panels share a line, and an open one takes the whole width. */}
        <div className="mt-[14px] gap-x-[36px] min-[1100px]:grid min-[1100px]:grid-cols-2 [&>:has([open],[aria-expanded=true],ul)]:col-span-2">
          <PanelBoundary name="The notes">
            <NotesPanel session={session} notes={notes} points={data.points} writable={found} />
          </PanelBoundary>
          <PanelBoundary name="The contexts">
            <ContextsSection />
          </PanelBoundary>
          <PanelBoundary name="The turns">
            <TurnsSection />
          </PanelBoundary>
          <CoveragePanel />
        </div>
        <PartNotice what="The compositions of the contexts" parts={data.parts.compositions} />
        {data.compositions.length === 0 ? null : (
          <PanelBoundary name="Advice">
            <Suspense>
              <AdvicePanel />
            </Suspense>
          </PanelBoundary>
        )}
      </div>
    </SessionPageContext>
  );
}

function OtherLens() {
  const { data, session, url } = useSessionPage();
  const { overlay, parts } = data;
  if (url.lens === null || url.lens === session.lens) return null;
  const waiting = parts.lens.some(({ failed }) => failed) ? null : 'Loading the other lens…';
  return (
    <p className="pt-[2px] text-ink2" role="status">
      {overlay === null ? waiting : lensSentence(session, url.lens, overlay.points.at(-1) ?? null)}{' '}
      {overlay === null ? null : (
        <Figure figure={url.lens} name="" className="text-ink">
          How this is calculated
        </Figure>
      )}
    </p>
  );
}

function Gone({ movedTo }: { movedTo: string | null }) {
  return (
    <p role="status" className="border-b border-hair py-[8px]">
      {movedTo === null ? (
        'This session was deleted. Showing its last known data.'
      ) : (
        <>
          This session is part of another one and continues there. Showing its last known data.{' '}
          <Link href={`/sessions/${movedTo}`} prefetch={false} className="link">
            Open the session
          </Link>
        </>
      )}
    </p>
  );
}
