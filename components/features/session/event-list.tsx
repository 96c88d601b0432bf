'use client';
import { Fragment, useMemo, useRef } from 'react';
import type { SessionEvent } from '@/core/events/event';
import { describeEvent } from '../../events/describe-event';
import { EventGlyph } from '../../events/event-glyph';
import { formatClock, formatInstant, formatLongDay } from '../../format/format-time';
import { FiguresText } from '../../ui/figures-text';
import { PartNotice } from '../../ui/part-notice';
import { isWithin } from './session-events';
import { useGrowingRows, useSessionPage } from './session-page';

const ROW =
  'grid h-[calc(28px*var(--ui))] w-full grid-cols-[calc(56px*var(--ui))_22px_calc(104px*var(--ui))_1fr_auto] items-center border-b border-hair pr-[10px] text-left max-sm:grid-cols-[56px_20px_98px_1fr_auto]';
/** Number of rows drawn at first, twice as many as fit on screen. Scrolling adds `MORE_ROWS`. */
const ROWS = 60;
const MORE_ROWS = 200;

/** Events, newest first. Arrow keys move; the open event is beside the list. */
export function EventList({ selectedId }: { selectedId: string | null }) {
  const { data, url, change, zone } = useSessionPage();
  const list = useRef<HTMLOListElement>(null);
  const { most, onScroll } = useGrowingRows(ROWS, MORE_ROWS);
  const { events, wholeFrom } = data;
  const { from, to } = url;
  const isNarrowed = from !== null || to !== null;
  const newest = useMemo(
    () => events.filter(({ at }) => isWithin(Date.parse(at), { from, to })).reverse(),
    [events, from, to],
  );
  const selectedAt = newest.findIndex(({ id }) => id === selectedId);
  const rows = newest.slice(0, Math.max(most, selectedAt + ROWS / 2));
  const walk = (event: React.KeyboardEvent<HTMLOListElement>) => {
    const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    if (by === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    const buttons = [...(list.current?.querySelectorAll<HTMLButtonElement>('button[data-event]') ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const next = buttons[Math.max(0, Math.min(at + by, buttons.length - 1))];
    next?.focus();
    if (next?.dataset.event) change({ event: next.dataset.event });
  };
  let day = '';
  return (
    <section aria-label="Events" className="min-w-0 border-hair lg:border-r">
      <PartNotice what="The events" parts={data.parts.events} className="pr-[10px]" />
      {isNarrowed ? (
        <p className="flex h-[28px] items-center justify-between border-b border-hair pr-[10px] text-small text-ink2">
          <span>
            {from === null ? 'until' : formatClock(from, zone)}
            {from !== null && to !== null ? '–' : ' '}
            {to === null ? 'and later' : formatClock(to, zone)}
          </span>
          <button type="button" className="link" onClick={() => change({ from: null, to: null, at: null })}>
            All events
          </button>
        </p>
      ) : null}
      <ol
        ref={list}
        onKeyDown={walk}
        onScroll={onScroll}
        className="max-h-[280px] overflow-y-auto lg:max-h-[clamp(220px,calc(100vh-652px),calc(304px*var(--ui)))] min-[120rem]:max-h-[calc(448px*var(--ui))]"
      >
        {rows.map((event) => {
          const own = formatLongDay(event.at, zone);
          const isNewDay = own !== day;
          day = own;
          return (
            <Fragment key={event.id}>
              {isNewDay ? (
                <li className="flex h-[calc(24px*var(--ui))] items-end border-b border-hair pb-[2px] pl-[8px] text-small text-ink2">
                  {own}
                </li>
              ) : null}
              <li>
                <EventButton event={event} selected={event.id === selectedId} />
              </li>
              {event.id === wholeFrom && !isNarrowed ? <Older /> : null}
            </Fragment>
          );
        })}
        {rows.length === 0 ? (
          <li className="py-[10px] text-ink2">
            {isNarrowed ? 'No events in this range.' : 'No events yet.'}
          </li>
        ) : null}
      </ol>
    </section>
  );
}

function Older() {
  const { more, load, loading, failed } = useSessionPage().data.olderEvents;
  if (!more) return null;
  return (
    <li className="flex min-h-[28px] flex-wrap items-center gap-x-[10px] border-b border-hair py-[4px] pl-[8px] text-small text-ink2">
      <span role={failed ? 'alert' : undefined} className={failed ? 'text-ink' : ''}>
        {failed ? 'Older events could not be read.' : 'Earlier: boundaries only.'}
      </span>
      <button type="button" className="link" disabled={loading} onClick={load}>
        {loading ? 'Loading older events…' : failed ? 'Retry' : 'Older events'}
      </button>
    </li>
  );
}

function EventButton({ event, selected }: { event: SessionEvent; selected: boolean }) {
  const { change, zone } = useSessionPage();
  const { name, text, note } = describeEvent(event);
  const isMain = event.chain === 'main';
  return (
    <button
      type="button"
      data-event={event.id}
      aria-pressed={selected}
      onClick={() => change({ event: event.id })}
      className={`${ROW} -outline-offset-2 ${selected ? 'bg-sunken shadow-none [box-shadow:inset_2px_0_var(--ink)]' : 'hover:bg-sunken'}`}
    >
      <time
        dateTime={event.at}
        title={formatInstant(event.at, zone)}
        className="num pr-[10px] text-right text-ink2"
      >
        {formatClock(event.at, zone)}
      </time>
      <EventGlyph event={event} />
      <span className="truncate">{name}</span>
      <span className="truncate pr-[8px]" title={isMain ? text : `${event.chain}: ${text}`}>
        <FiguresText text={text} />
      </span>
      <span className="text-small text-ink2">
        {isMain ? '' : 'sub-agent '}
        <FiguresText text={note} />
      </span>
    </button>
  );
}
