'use client';
import { Download } from 'lucide-react';
import Link from 'next/link';
import { useEffect, useId, useRef, useState } from 'react';
import { LENS_NAME, LENSES } from '@/core/explain/lens-phrase';
import { useLive } from '../../data/live-provider';
import { formatInstant } from '../../format/format-time';
import { type Moment, parseMoment } from '../../format/parse-moment';
import { GoToTime } from '../../ui/go-to-time';
import { Fold, useSessionPage } from './session-page';
import type { SessionUrl } from './session-url';

/** Axis, lens and range of the sheet. The session's own lens is always drawn; another lens is laid over it. */
export function SheetControls() {
  const { session, points, url, change } = useSessionPage();
  const { lastTurnAt } = session;
  const lens = url.lens ?? session.lens;
  const follows = url.to === null;
  const id = useId();
  const [isOpen, setIsOpen] = useState(url.time !== null);
  // The palette may ask for a time, so the field must be visible.
  useEffect(() => {
    if (url.time !== null) setIsOpen(true);
  }, [url.time]);
  const isZoomed = url.from !== null || url.to !== null;
  const whole = (
    <button type="button" className={QUIET} onClick={() => change({ from: null, to: null, at: null })}>
      Whole session
    </button>
  );
  // On a phone the fold and its content are two rows of the page's grid.
  return (
    <div className="max-md:contents md:flex md:min-h-[34px] md:flex-wrap md:items-center md:gap-x-[24px] md:gap-y-[2px] md:border-t md:border-ink md:py-[6px]">
      <div className="order-2 flex items-center justify-end gap-[18px] border-t border-ink md:hidden">
        {isZoomed ? whole : null}
        <Fold isOpen={isOpen} of={id} toggle={() => setIsOpen(!isOpen)}>
          View and export
        </Fold>
      </div>
      <div
        id={id}
        className={`order-4 col-span-2 flex flex-col gap-y-[10px] border-t border-hair py-[12px] md:contents ${isOpen ? '' : 'max-md:hidden'}`}
      >
        <fieldset className="flex gap-[20px]">
          <legend className="sr-only">Axis</legend>
          {(['time', 'turns'] as const).map((axis) => (
            <Choice key={axis} on={url.axis === axis} onChoose={() => change({ axis })}>
              {axis === 'time' ? 'Time' : 'Turns'}
            </Choice>
          ))}
        </fieldset>
        <fieldset className="flex flex-wrap gap-x-[20px] gap-y-[10px] max-md:gap-x-[16px]">
          <legend className="float-left mr-[18px] text-ink2 max-md:mr-[14px]">Lens</legend>
          {LENSES.map((name) => (
            <Choice
              key={name}
              on={lens === name}
              onChoose={() => change({ lens: name === session.lens ? null : name })}
              note={name === session.lens ? 'the session’s own lens' : undefined}
            >
              {LENS_NAME[name]}
            </Choice>
          ))}
        </fieldset>
        <div className="flex flex-wrap items-center gap-x-[20px] gap-y-[10px] max-md:gap-x-[16px] md:ml-auto">
          <Choice
            on={url.sums}
            onChoose={() => change({ sums: !url.sums })}
            note="input and output of each turn below the trace, and their sums in each context over it"
          >
            Input, output
          </Choice>
          {session.totals.side.calls === 0 && !url.agents ? null : (
            <Choice
              on={url.agents}
              onChoose={() => change({ agents: !url.agents })}
              note="each sub-agent’s own context as a thin trace"
            >
              Sub-agents
            </Choice>
          )}
          {points.length === 0 ? null : <MomentField />}
          {isZoomed ? <span className="max-md:hidden">{whole}</span> : null}
          {session.liveness === 'ended' ? null : (
            <Choice
              on={follows}
              onChoose={() => change({ to: follows && lastTurnAt ? Date.parse(lastTurnAt) : null })}
            >
              Follow live
            </Choice>
          )}
          <Link
            href={`/compare?a=${session.id}`}
            prefetch={false}
            className={QUIET}
            title="This session beside another one, or two of its contexts"
          >
            Compare with…
          </Link>
          <SaveButtons />
        </div>
      </div>
    </div>
  );
}

const QUIET = 'text-ink2 hover:text-ink';

interface ChoiceProps {
  on: boolean;
  onChoose: () => void;
  note?: string | undefined;
  children: React.ReactNode;
}

function Choice({ on, onChoose, note, children }: ChoiceProps) {
  const look = on ? 'underline decoration-[1.5px] underline-offset-[5px]' : QUIET;
  return (
    <button type="button" aria-pressed={on} title={note} onClick={onChoose} className={look}>
      {children}
    </button>
  );
}

export const SHEET_DRAWING = 'sheet-drawing';

function SaveButtons() {
  const { data, session, url, zone } = useSessionPage();
  const { clock } = useLive();
  const [problem, setProblem] = useState('');
  const save = async (format: 'svg' | 'png') => {
    setProblem('');
    try {
      const { saveSheet, sheetWords } = await import('./save-sheet');
      const box = document.getElementById(SHEET_DRAWING);
      if (box === null) throw new Error('it is not drawn yet');
      await saveSheet(box, sheetWords(session, data.points, url, clock.now(), zone), format);
    } catch (error) {
      setProblem(`The sheet could not be saved: ${error instanceof Error ? error.message : String(error)}.`);
    }
  };
  return (
    <span className="flex flex-wrap items-center gap-x-[6px] gap-y-[6px]">
      {(['svg', 'png'] as const).map((format) => {
        const name = format.toUpperCase();
        const label = `Save the sheet as ${name}`;
        return (
          <button
            key={format}
            type="button"
            className="button"
            aria-label={label}
            onClick={() => save(format)}
          >
            <Download size={12} strokeWidth={1.5} aria-hidden="true" />
            {name}
          </button>
        );
      })}
      <span role="status" className={problem === '' ? 'sr-only' : ''}>
        {problem}
      </span>
    </span>
  );
}

/** Field for a moment such as `14:03`, on the session's days. A time in the address works like a typed one. */
function MomentField() {
  const { points, url, change, zone } = useSessionPage();
  const box = useRef<HTMLSpanElement>(null);
  const [outside, setOutside] = useState<string | null>(null);
  const times = points.map(({ t }) => t);
  const [firstAt, lastAt] = [times[0] ?? 0, times.at(-1) ?? 0];

  const go = (moment: Moment): void => {
    const place = goToMoment(moment, times);
    setOutside(place === null ? formatInstant(moment.at, zone) : null);
    change(place ?? { time: null });
  };
  const { time } = url;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each time in the address
  useEffect(() => {
    if (time === null) return;
    const moment = parseMoment(time, zone, lastAt);
    if (moment !== null) return go(moment);
    change({ time: null });
    // Wait one frame: the palette, which set the time, first returns the focus to another element.
    requestAnimationFrame(() => box.current?.querySelector('input')?.focus());
  }, [time]);

  const note =
    outside === null
      ? ''
      : `Not at ${outside}: the session ran from ${formatInstant(firstAt, zone)} to ${formatInstant(lastAt, zone)}.`;
  return (
    <span ref={box}>
      <GoToTime before={() => lastAt} onGo={go} note={note} />
    </span>
  );
}

const MINUTE = 60_000;
/** Time shown on either side of the moment. */
const AROUND_MS = 5 * MINUTE;
/** Maximum distance of a neighbouring turn that is shown too. */
const REACH_MS = 60 * MINUTE;

/**
 * The range around a moment, with the turns before and after it, and the crosshair on it; null if the session was not
 * running then. An end beyond the session stays open.
 * @param times of the session's turns, ascending, milliseconds; at least one
 */
export function goToMoment(
  { at, spanMs }: Moment,
  times: readonly number[],
): Pick<SessionUrl, 'from' | 'to' | 'at' | 'time'> | null {
  const [firstAt, lastAt] = [times[0] ?? 0, times.at(-1) ?? 0];
  // A named minute covers 60 s: 14:03 is within a session that started at 14:03:20.
  if (at > lastAt || at + spanMs <= firstAt) return null;
  const moment = Math.max(at, firstAt);
  const before = times.findLast((time) => time <= moment) ?? moment;
  const after = times.find((time) => time > moment) ?? moment;
  const from = Math.min(moment - AROUND_MS, Math.max(before - MINUTE, moment - REACH_MS));
  const to = Math.max(moment + spanMs + AROUND_MS, Math.min(after + MINUTE, moment + REACH_MS));
  return { from: from <= firstAt ? null : from, to: to >= lastAt ? null : to, at: moment, time: null };
}
