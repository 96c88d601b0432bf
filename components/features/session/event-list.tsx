'use client';
import { Fragment, useMemo, useRef } from 'react';
import type { SeriesPoint } from '@/core/api/series';
import type { SessionEvent } from '@/core/events/event';
import { useTimeZone } from '../../data/use-time-zone';
import { describeEvent } from '../../events/describe-event';
import { EventGlyph } from '../../events/event-glyph';
import { formatClock, formatInstant, formatLongDay } from '../../format/format-time';
import { formatExact, formatTokenChange } from '../../format/format-tokens';
import { FiguresText } from '../../ui/figures-text';
import { PartNotice, type PartState } from '../../ui/part-notice';
import { useGrowingRows } from './use-growing-rows';
import type { OlderEvents } from './use-session-data';

interface EventListProps {
  /** Oldest first; shown newest first. */
  events: readonly SessionEvent[];
  /** The event from which on all are held; before it only what the sheet draws. Null: all are held. */
  wholeFrom: string | null;
  /** The stretch that the sheet is zoomed to, milliseconds; null: open. */
  range: { from: number | null; to: number | null };
  showAll: () => void;
  lastTurn: { point: SeriesPoint; change: number | null } | null;
  selectedId: string | null;
  choose: (id: string) => void;
  older: OlderEvents;
  /** States of its reads. */
  parts: readonly PartState[];
}

const ROW =
  'grid h-[28px] w-full grid-cols-[50px_22px_104px_1fr_auto] items-center border-b border-hair pr-[10px] text-left max-sm:grid-cols-[44px_20px_98px_1fr_auto]';

/** Rows at first, twice what is seen of them, and how many are added each time. */
const ROWS = 60;
const MORE_ROWS = 200;

/** Events, newest first. Arrow keys move; the open event is beside the list. */
export function EventList(props: EventListProps) {
  const { events, wholeFrom, range, showAll, lastTurn, selectedId, choose, older, parts } = props;
  const list = useRef<HTMLOListElement>(null);
  const zone = useTimeZone();
  const { most, grow, onScroll } = useGrowingRows(ROWS, MORE_ROWS);
  const newest = useMemo(() => events.toReversed(), [events]);
  const selectedAt = newest.findIndex(({ id }) => id === selectedId);
  const rows = newest.slice(0, Math.max(most, selectedAt + ROWS / 2));
  const isCut = rows.length < newest.length;
  const isNarrowed = range.from !== null || range.to !== null;
  const hasTurn = lastTurn !== null && (range.to === null || lastTurn.point.t <= range.to);
  const walk = (event: React.KeyboardEvent<HTMLOListElement>) => {
    const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    if (by === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    const buttons = [...(list.current?.querySelectorAll<HTMLButtonElement>('button[data-event]') ?? [])];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const next = buttons[Math.max(0, Math.min(at + by, buttons.length - 1))];
    next?.focus();
    const id = next?.dataset.event;
    if (id) choose(id);
  };
  let day = hasTurn ? formatLongDay(lastTurn.point.t, zone) : '';
  return (
    <section aria-label="Events" className="min-w-0 border-hair lg:border-r">
      <PartNotice what="The events" parts={parts} className="pr-[10px]" />
      {isNarrowed ? (
        <p className="flex h-[28px] items-center justify-between border-b border-hair pr-[10px] text-small text-ink2">
          <span>{rangeWords(range, zone)}</span>
          <button type="button" className="link" onClick={showAll}>
            All events
          </button>
        </p>
      ) : null}
      <ol
        ref={list}
        onKeyDown={walk}
        {...(isCut && { onScroll })}
        className="max-h-[280px] overflow-y-auto lg:max-h-[672px]"
      >
        {hasTurn ? <LastTurn {...lastTurn} zone={zone} /> : null}
        {rows.map((event) => {
          const own = formatLongDay(event.at, zone);
          const isNewDay = own !== day;
          day = own;
          return (
            <Fragment key={event.id}>
              {isNewDay ? <Day name={own} /> : null}
              <li>
                <EventButton event={event} selected={event.id === selectedId} choose={choose} zone={zone} />
              </li>
              {event.id === wholeFrom && !isNarrowed ? <Older older={older} /> : null}
            </Fragment>
          );
        })}
        {!isCut ? null : (
          <li className="flex min-h-[28px] items-center gap-x-[10px] border-b border-hair py-[4px] pl-[8px] text-small text-ink2">
            <span>
              <span className="num">{formatExact(newest.length - rows.length)}</span> more loaded.
            </span>
            <button type="button" className="link" onClick={grow}>
              Show more
            </button>
          </li>
        )}
        {rows.length === 0 ? (
          <li className="py-[10px] text-ink2">
            {isNarrowed ? 'No events in this range.' : 'No events yet.'}
          </li>
        ) : null}
      </ol>
    </section>
  );
}

/** A gap in the list, with a button that loads older events. */
function Older({ older: { more, load, loading, failed } }: { older: OlderEvents }) {
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

/** The day of the rows below. */
function Day({ name }: { name: string }) {
  return (
    <li className="flex h-[24px] items-end border-b border-hair pb-[2px] pl-[8px] text-small text-ink2">
      {name}
    </li>
  );
}

function rangeWords({ from, to }: EventListProps['range'], zone: string): string {
  if (from === null) return `until ${formatClock(to ?? 0, zone)}`;
  return to === null
    ? `from ${formatClock(from, zone)} on`
    : `${formatClock(from, zone)}–${formatClock(to, zone)}`;
}

/** `17:51`; the whole instant on hover. */
function Clock({ at, zone }: { at: string | number; zone: string }) {
  const iso = new Date(at).toISOString();
  return (
    <time dateTime={iso} title={formatInstant(at, zone)} className="num pr-[10px] text-right text-ink2">
      {formatClock(at, zone)}
    </time>
  );
}

function EventButton({
  event,
  selected,
  choose,
  zone,
}: {
  event: SessionEvent;
  selected: boolean;
  choose: (id: string) => void;
  zone: string;
}) {
  const row = describeEvent(event);
  return (
    <button
      type="button"
      data-event={event.id}
      aria-pressed={selected}
      onClick={() => choose(event.id)}
      className={`${ROW} -outline-offset-2 ${selected ? 'bg-sunken shadow-none [box-shadow:inset_2px_0_var(--ink)]' : 'hover:bg-sunken'}`}
    >
      <Clock at={event.at} zone={zone} />
      <EventGlyph event={event} />
      <span className="truncate">{row.name}</span>
      <span
        className="truncate pr-[8px]"
        title={event.chain === 'main' ? row.text : `${event.chain}: ${row.text}`}
      >
        <FiguresText text={row.text} />
      </span>
      <span className="text-small text-ink2">
        {event.chain === 'main' ? '' : 'sub-agent '}
        <FiguresText text={row.note} />
      </span>
    </button>
  );
}

/** The newest turn, as the first row. */
function LastTurn({ point, change, zone }: { point: SeriesPoint; change: number | null; zone: string }) {
  return (
    <li className={ROW}>
      <Clock at={point.t} zone={zone} />
      <span />
      <span>
        turn <span className="num">{formatExact(point.n)}</span>
      </span>
      <span className="num">
        {point.used === null ? (point.untracked ? 'not tracked' : 'unknown') : formatExact(point.used)}
      </span>
      <span className="num text-small text-ink2">{change === null ? '' : formatTokenChange(change)}</span>
    </li>
  );
}
