'use client';
import Link from 'next/link';
import { Suspense, useEffect, useMemo, useState } from 'react';
import type { SeriesPoint } from '@/core/api/series';
import { useTimeZone } from '../../data/use-time-zone';
import { followVersion } from '../../explain/asked';
import { SessionWhy } from '../../explain/session-why';
import { NotesPanel } from '../../notes/notes-panel';
import { useNotes } from '../../notes/use-notes';
import { lazyPart } from '../../ui/lazy-part';
import { PanelBoundary } from '../../ui/panel-boundary';
import { PartNotice } from '../../ui/part-notice';
import { BoundaryCost } from './boundary-cost';
import { ContextsSection } from './contexts-section';
import { CoveragePanel } from './coverage-panel';
import { EventList } from './event-list';
import { lensSentence } from './lens-sentence';
import { lastCostly, openedEvent } from './select-event';
import { eventsWithin } from './session-events';
import { SessionFigures } from './session-figures';
import { SessionHead } from './session-head';
import { readSessionSeed, type SessionSeed } from './session-seed';
import { SessionSheet } from './session-sheet';
import { useSessionUrl } from './session-url';
import { SheetControls } from './sheet-controls';
import { SheetExport } from './sheet-export';
import { TroubleLine } from './trouble-line';
import { TurnsSection } from './turns/turns-section';
import { useEventDetails } from './use-event-details';
import { useSessionData } from './use-session-data';

const AdvicePanel = lazyPart(() => import('./advice-panel'));
const OpenedEvent = lazyPart(() => import('./opened-event'));

/** Id of the opened event's box, the target of links above it. */
const OPENED_EVENT = 'opened-event';

/** One session, live: figures, barogram, and what happened to it. */
export function SessionPanel({ seed }: { seed: SessionSeed }) {
  const [initial] = useState(() => readSessionSeed(seed));
  const [url, change] = useSessionUrl();
  const data = useSessionData(initial, url);
  const { session, found } = data.view;
  const zone = useTimeZone();
  const notes = useNotes(session, initial.notes, url, change);
  const opened = useMemo(() => openedEvent(data.events, url.event), [data.events, url.event]);
  const listed = useMemo(() => eventsWithin(data.events, url.from, url.to), [data.events, url.from, url.to]);
  const costly = useMemo(() => lastCostly(data.events), [data.events]);
  const cost = useEventDetails(costly, session, initial.details);
  const isCostly = opened !== null && opened.id === costly?.id;
  const other = useEventDetails(isCostly ? null : opened, session);
  const show = (id: string) => {
    change({ event: id });
    document.getElementById(OPENED_EVENT)?.scrollIntoView({ block: 'start', behavior: 'smooth' });
  };
  const isMissing = url.event !== null && opened?.id !== url.event && !data.loading;
  const lastEndedBy =
    data.contexts.findLast((context) => context.chain === 'main' && context.endedBy !== null)?.endedBy ??
    null;
  const last = data.view.points.at(-1) ?? null;
  const before = data.view.points.at(-2);
  const peak = useMemo(() => openPeak(data.view.points), [data.view.points]);
  useEffect(() => followVersion((id) => (id === session.id ? session.version : undefined)), [session]);
  const lastChange =
    last && last.used !== null && before && before.used !== null && before.context === last.context
      ? last.used - before.used
      : null;
  return (
    <div className="page-x pb-[48px]">
      <SessionHead session={session} />
      {found ? null : <Gone movedTo={data.view.movedTo} />}
      <TroubleLine session={session} events={data.events} open={(id) => change({ event: id })} />
      <div className="max-md:grid max-md:grid-cols-[1fr_auto]">
        <SessionFigures
          session={session}
          points={data.view.points}
          lastEndedBy={lastEndedBy}
          peak={peak}
          cost={
            <BoundaryCost
              event={costly}
              details={cost.details}
              failed={cost.part.failed}
              zone={zone}
              open={show}
            />
          }
        />
        <SheetControls session={session} points={data.view.points} url={url} change={change}>
          <SheetExport data={data} url={url} notes={notes.list} />
        </SheetControls>
      </div>
      {url.lens === null || url.lens === session.lens ? null : (
        <p className="pt-[2px] text-ink2" role="status">
          {data.overlay === null
            ? data.parts.lens.some(({ failed, slow }) => failed || slow)
              ? ''
              : 'Loading the other lens…'
            : `${lensSentence(session, url.lens, data.overlay.points.at(-1) ?? null)} `}
          {data.overlay === null ? null : (
            <SessionWhy session={session} figure={url.lens} name="" className="text-ink">
              How this is calculated
            </SessionWhy>
          )}
        </p>
      )}
      <PartNotice what="The turns of the other lens" parts={data.parts.lens} />
      <PartNotice what="The turns on the sheet" parts={data.parts.sheet} />
      <PanelBoundary name="The barogram">
        <SessionSheet data={data} url={url} selectedId={url.event} notes={notes} change={change} />
      </PanelBoundary>
      <PanelBoundary name="The notes">
        <NotesPanel session={session} notes={notes} points={data.points} writable={found} />
      </PanelBoundary>
      <div className="mt-[18px] grid border-t border-ink lg:grid-cols-[428px_minmax(0,1fr)]">
        <PanelBoundary name="The events">
          <EventList
            events={listed}
            wholeFrom={data.wholeFrom}
            range={{ from: url.from, to: url.to }}
            showAll={() => change({ from: null, to: null, at: null })}
            lastTurn={last === null ? null : { point: last, change: lastChange }}
            selectedId={opened?.id ?? null}
            choose={(id) => change({ event: id })}
            older={data.olderEvents}
            parts={data.parts.events}
          />
        </PanelBoundary>
        <div id={OPENED_EVENT} className="min-w-0 scroll-mt-[10px] pt-[10px] lg:pl-[24px]">
          {isMissing ? <MissingEvent close={() => change({ event: null })} /> : null}
          {opened === null ? null : (
            // Another event resets the error boundary.
            <PanelBoundary key={opened.id} name="The opened event">
              <PartNotice what="The calls and texts of this event" parts={[(isCostly ? cost : other).part]} />
              <Suspense>
                <OpenedEvent
                  event={opened}
                  session={session}
                  events={data.events}
                  complete={data.marksComplete}
                  more={isCostly ? cost : other}
                  choose={(id) => change({ event: id })}
                />
              </Suspense>
            </PanelBoundary>
          )}
        </div>
      </div>
      <PanelBoundary name="The contexts">
        <ContextsSection data={data} url={url} change={change} />
      </PanelBoundary>
      <PanelBoundary name="The turns">
        <TurnsSection session={session} url={url} change={change} />
      </PanelBoundary>
      <PartNotice what="The compositions of the contexts" parts={data.parts.compositions} />
      {data.compositions.length === 0 ? null : (
        <PanelBoundary name="Advice">
          <Suspense>
            <AdvicePanel session={session} compositions={data.compositions} events={data.events} />
          </Suspense>
        </PanelBoundary>
      )}
      <CoveragePanel session={session} />
    </div>
  );
}

/** The session was deleted or joined to another one. */
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

/** The event of the address is not in this session. */
function MissingEvent({ close }: { close: () => void }) {
  return (
    <p role="status" className="mb-[12px] border-l-2 border-ink pl-[12px]">
      The event of this link is not in the session. Showing the last boundary instead.{' '}
      <button type="button" className="link text-small" onClick={close}>
        Dismiss
      </button>
    </p>
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
