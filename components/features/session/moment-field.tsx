'use client';
import { useEffect, useRef, useState } from 'react';
import { formatInstant } from '../../format/format-time';
import { type Moment, parseMoment } from '../../format/parse-moment';
import { GoToTime } from '../../ui/go-to-time';
import { useSessionPage } from './session-page';
import type { SessionUrl } from './session-url';

/** “See what happened at 14:03”, on the session's own days. A time in the address is gone to as if it were typed. */
export function MomentField() {
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each time that the address brings
  useEffect(() => {
    if (time === null) return;
    const moment = parseMoment(time, zone, lastAt);
    if (moment !== null) return go(moment);
    change({ time: null });
    // The palette that brought it gives the focus back first.
    requestAnimationFrame(() => box.current?.querySelector('input')?.focus());
  }, [time]);

  return (
    <span ref={box} className="flex flex-wrap items-center gap-x-[10px]">
      <GoToTime before={() => lastAt} onGo={go} />
      <span role="status" className={outside === null ? 'sr-only' : 'text-small'}>
        {outside === null
          ? ''
          : `Not at ${outside}: it ran from ${formatInstant(firstAt, zone)} to ${formatInstant(lastAt, zone)}.`}
      </span>
    </span>
  );
}

const MINUTE = 60_000;
/** Paper to either side of the moment. */
const AROUND_MS = 5 * MINUTE;
/** How far a neighbouring turn may lie to be brought on the sheet as well. */
const REACH_MS = 60 * MINUTE;

/**
 * The range around a moment, with the turns before and after it, and the crosshair on it; null where the session was
 * not running. An end past the session's own stays open.
 * @param times of the session's turns, ascending, milliseconds; at least one
 */
export function goToMoment(
  { at, spanMs }: Moment,
  times: readonly number[],
): Pick<SessionUrl, 'from' | 'to' | 'at' | 'time'> | null {
  const [firstAt, lastAt] = [times[0] ?? 0, times.at(-1) ?? 0];
  // A minute is a minute long: 14:03 is within a session that began at 14:03:20.
  if (at > lastAt || at + spanMs <= firstAt) return null;
  const moment = Math.max(at, firstAt);
  const before = times.findLast((time) => time <= moment) ?? moment;
  const after = times.find((time) => time > moment) ?? moment;
  const from = Math.min(moment - AROUND_MS, Math.max(before - MINUTE, moment - REACH_MS));
  const to = Math.max(moment + spanMs + AROUND_MS, Math.min(after + MINUTE, moment + REACH_MS));
  return { from: from <= firstAt ? null : from, to: to >= lastAt ? null : to, at: moment, time: null };
}
