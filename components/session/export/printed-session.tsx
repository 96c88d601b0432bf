'use client';
/**
 * The session on paper: the sheet as it is saved, black on white, and its events as a table. It is drawn when
 * the browser is about to print, at once, for printing waits for nothing; what draws it is read beforehand,
 * when the page has come to rest.
 */
import './print.css';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { SessionEvent } from '@/core/api/session';
import { formatInstant } from '../../format/format-time';
import { useLive } from '../../live/live-provider';
import { useTimeZone } from '../../live/use-time-zone';
import { describeEvent } from '../describe-event';
import type { SessionUrl } from '../session-url';
import type { SessionData } from '../use-session-data';
import { sheetInput } from './sheet-input';

type Drawing = typeof import('./sheet-svg') & typeof import('./sheet-colours');

/** After the page's own work. */
const REST_MS = 2_000;

export function PrintedSession({ data, url }: { data: SessionData; url: SessionUrl }) {
  const { clock } = useLive();
  const zone = useTimeZone();
  const drawing = useRef<Drawing | null>(null);
  const [svg, setSvg] = useState<string | null>(null);

  const draw = useEffectEvent(() => {
    if (drawing.current === null) return;
    const { sheetSvg, PRINT_COLOURS } = drawing.current;
    const sheet = sheetSvg(sheetInput(data, url, clock.now(), zone), PRINT_COLOURS);
    flushSync(() => setSvg(sheet.svg));
  });
  useEffect(() => {
    const media = window.matchMedia('print');
    const onPrint = () => draw();
    const onMedia = () => {
      if (media.matches) draw();
      else setSvg(null);
    };
    const onEnd = () => setSvg(null);
    const timer = setTimeout(() => {
      Promise.all([import('./sheet-svg'), import('./sheet-colours')])
        .then(([sheet, colours]) => {
          drawing.current = { ...sheet, ...colours };
          if (media.matches) draw();
        })
        // Offline, a page prints as it stands on the screen.
        .catch(() => undefined);
    }, REST_MS);
    window.addEventListener('beforeprint', onPrint);
    window.addEventListener('afterprint', onEnd);
    media.addEventListener('change', onMedia);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('beforeprint', onPrint);
      window.removeEventListener('afterprint', onEnd);
      media.removeEventListener('change', onMedia);
    };
  }, []);

  if (svg === null) return null;
  return (
    <div className="printed">
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: made by sheetSvg alone, which escapes all it is given. */}
      <div className="printed-sheet" dangerouslySetInnerHTML={{ __html: svg }} />
      <PrintedEvents events={data.events} zone={zone} isComplete={!data.olderEvents.more} />
    </div>
  );
}

/** Oldest first, as one reads a log. */
function PrintedEvents({
  events,
  zone,
  isComplete,
}: {
  events: readonly SessionEvent[];
  zone: string;
  isComplete: boolean;
}) {
  return (
    <table className="printed-events">
      <caption>Events{isComplete ? '' : `, the newest ${events.length}`}</caption>
      <thead>
        <tr>
          {['time', 'turn', 'event', 'what happened', ''].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {events.map((event) => {
          const { name, text, note } = describeEvent(event);
          return (
            <tr key={event.id}>
              <td className="num">{formatInstant(event.at, zone)}</td>
              <td className="num">{event.turn}</td>
              <td>{event.chain === 'main' ? name : `${name} (${event.chain})`}</td>
              <td>{text}</td>
              <td>{note}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
