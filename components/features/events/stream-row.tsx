import Link from 'next/link';
import { memo } from 'react';
import type { SessionEvent } from '@/core/events/event';
import { describeEvent } from '../../events/describe-event';
import { EventGlyph } from '../../events/event-glyph';
import { formatClock, formatClockSeconds } from '../../format/format-time';
import { When } from '../../ui/ago';
import { FiguresText } from '../../ui/figures-text';
import { eventHref } from './prepare-rows';

interface StreamEventProps {
  event: SessionEvent;
  /** Place among the events, and among the rows. */
  index: number;
  place: number;
  zone: string;
}

/** One event: when, what, where. Renders again only when it was revised or moved. */
export const StreamEvent = memo(function StreamEvent({ event, index, place, zone }: StreamEventProps) {
  const { name, text, note } = describeEvent(event);
  const title = event.sessionTitle ?? event.sessionKey;
  const isSide = event.chain !== 'main';
  return (
    <tr
      aria-rowindex={place + 2}
      data-row={index}
      data-event={event.id}
      className="stream-row"
      style={{ top: `calc(var(--row) * ${place})` }}
    >
      <td className="c-time num text-right">{formatClockSeconds(event.at, zone)}</td>
      <td className="c-age text-right text-small text-ink2">
        <When at={event.at} />
        <span className="clock num" aria-hidden="true">
          {formatClock(event.at, zone)}
        </span>
      </td>
      <td className="c-kind">
        <EventGlyph event={event} />
        <Link
          href={eventHref(event)}
          prefetch={false}
          aria-label={`${name}: ${text}${note === '' ? '' : `, ${note}`}, ${title}`}
          className="clip"
        >
          {name}
        </Link>
      </td>
      <td className="c-what clip" title={note === '' ? text : `${text}, ${note}`}>
        <FiguresText text={text} />
        {note === '' ? null : (
          <span className="pl-[8px] text-small text-ink2">
            <FiguresText text={note} />
          </span>
        )}
      </td>
      <td className="c-session clip" title={`${title} · ${event.project}`}>
        {title} <span className="text-small text-ink2">· {event.project}</span>
      </td>
      <td className="c-chain clip text-small text-ink2" title={isSide ? event.chain : undefined}>
        {isSide ? `sub-agent ${event.chain}` : ''}
      </td>
    </tr>
  );
});

export function StreamDay({ label, place }: { label: string; place: number }) {
  return (
    <tr aria-rowindex={place + 2} className="stream-day" style={{ top: `calc(var(--row) * ${place})` }}>
      <th scope="rowgroup" colSpan={6} className="text-left text-small font-normal text-ink2">
        {label}
      </th>
    </tr>
  );
}
