'use client';
import { useRef } from 'react';
import type { SeriesPoint } from '@/core/api/series';
import type { SessionEvent } from '@/core/api/session';
import { formatExact, formatTokenChange } from '../format/format-tokens';
import { Ago } from '../ui/ago';
import { describeEvent } from './describe-event';
import { EventGlyph } from './event-glyph';
import { FiguresText } from './figures-text';

interface EventListProps {
  /** Oldest first; shown newest first. */
  events: readonly SessionEvent[];
  lastTurn: { point: SeriesPoint; change: number | null } | null;
  selectedId: string | null;
  choose: (id: string) => void;
  older: { more: boolean; load: () => void; loading: boolean };
}

const ROW =
  'grid h-[28px] w-full grid-cols-[50px_22px_104px_1fr_auto] items-center border-b border-hair pr-[10px] text-left max-sm:grid-cols-[44px_20px_98px_1fr_auto]';

/** What happened, newest first. Arrow keys walk the rows; the open one stands beside the list. */
export function EventList({ events, lastTurn, selectedId, choose, older }: EventListProps) {
  const list = useRef<HTMLOListElement>(null);
  const rows = events.toReversed();
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
  return (
    <section aria-label="Events" className="min-w-0 border-hair lg:border-r">
      <ol ref={list} onKeyDown={walk} className="max-h-[280px] overflow-y-auto lg:max-h-[672px]">
        {lastTurn ? <LastTurn {...lastTurn} /> : null}
        {rows.map((event) => (
          <li key={event.id}>
            <EventButton event={event} selected={event.id === selectedId} choose={choose} />
          </li>
        ))}
        {rows.length === 0 ? (
          <li className="py-[10px] text-ink2">No event yet: the first turn brings one.</li>
        ) : null}
      </ol>
      {older.more ? (
        <button
          type="button"
          className="link mt-[8px] ml-[8px] text-small"
          disabled={older.loading}
          onClick={older.load}
        >
          {older.loading ? 'Reading older events' : 'Older events'}
        </button>
      ) : null}
    </section>
  );
}

function EventButton({
  event,
  selected,
  choose,
}: {
  event: SessionEvent;
  selected: boolean;
  choose: (id: string) => void;
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
      <Ago at={event.at} className="pr-[10px] text-right text-ink2" />
      <EventGlyph glyph={row.glyph} seed={event.id} />
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

/** The newest turn heads the list: the page's pulse, in numbers. */
function LastTurn({ point, change }: { point: SeriesPoint; change: number | null }) {
  return (
    <li className={ROW}>
      <Ago at={new Date(point.t).toISOString()} className="pr-[10px] text-right text-ink2" />
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
