'use client';
/**
 * The session on paper: the sheet as it is saved, black on white, and its events as a table. It is drawn when
 * the browser is about to print, at once, for printing waits for nothing; what draws it is read beforehand, once
 * the page has come to rest. Where it could not be, what stands on the screen is printed, and print.css makes a sheet of it.
 */
import './print.css';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Note } from '@/core/api/notes';
import type { SessionEvent } from '@/core/api/session';
import { formatInstant } from '../../format/format-time';
import { useLive } from '../../live/live-provider';
import { useTimeZone } from '../../live/use-time-zone';
import { describeEvent } from '../describe-event';
import type { SessionUrl } from '../session-url';
import type { SessionData } from '../use-session-data';
import { sheetInput } from './sheet-input';

/** Somebody is there: it is asked for again where it could not be read. */
const SIGNS = ['pointerdown', 'keydown'] as const;
/** The page has drawn itself and answered its first touches, milliseconds. */
const AT_REST_MS = 4_000;

type Drawing = typeof import('./sheet-svg') & typeof import('./sheet-colours');

interface PrintedSessionProps {
  data: SessionData;
  url: SessionUrl;
  notes: readonly Note[];
}

export function PrintedSession({ data, url, notes }: PrintedSessionProps) {
  const { clock } = useLive();
  const zone = useTimeZone();
  const drawing = useRef<Drawing | null>(null);
  const [svg, setSvg] = useState<string | null>(null);

  const draw = useEffectEvent(() => {
    if (drawing.current === null) return;
    const { sheetSvg, PRINT_COLOURS } = drawing.current;
    const sheet = sheetSvg(sheetInput(data, url, clock.now(), zone, notes), PRINT_COLOURS);
    flushSync(() => setSvg(sheet.svg));
  });
  useEffect(() => {
    const media = window.matchMedia('print');
    const onPrint = () => draw();
    const onMedia = () => {
      if (!media.matches) return setSvg(null);
      load();
      draw();
    };
    const onEnd = () => setSvg(null);
    let isAsked = false;
    const load = () => {
      if (isAsked) return;
      isAsked = true;
      Promise.all([import('./sheet-svg'), import('./sheet-colours')])
        .then(([sheet, colours]) => {
          drawing.current = { ...sheet, ...colours };
          if (media.matches) draw();
        })
        // Offline, a page prints as it stands on the screen; it is asked for again with the next sign.
        .catch(() => {
          isAsked = false;
        });
    };
    const atRest = setTimeout(load, AT_REST_MS);
    for (const sign of SIGNS) window.addEventListener(sign, load, { passive: true });
    window.addEventListener('beforeprint', onPrint);
    window.addEventListener('afterprint', onEnd);
    media.addEventListener('change', onMedia);
    return () => {
      clearTimeout(atRest);
      for (const sign of SIGNS) window.removeEventListener(sign, load);
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
