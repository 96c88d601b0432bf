'use client';
import { useEffect, useRef, useState } from 'react';
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import { useTimeZone } from '../../data/use-time-zone';
import { formatInstant } from '../../format/format-time';
import { type Moment, parseMoment } from '../../format/parse-moment';
import { GoToTime } from '../../ui/go-to-time';
import { goToMoment } from './go-to-moment';
import type { SessionUrl } from './session-url';

interface MomentFieldProps {
  session: Session;
  /** Of the main chain, the whole session. */
  points: readonly SeriesPoint[];
  url: SessionUrl;
  change: (change: Partial<SessionUrl>) => void;
}

/** “See what happened at 14:03”, on the session's own days. A time in the address is gone to as if it were typed. */
export function MomentField({ session, points, url, change }: MomentFieldProps) {
  const zone = useTimeZone();
  const box = useRef<HTMLSpanElement>(null);
  const [outside, setOutside] = useState<string | null>(null);
  const firstAt = points[0]?.t ?? Date.parse(session.startedAt);
  const lastAt = Math.max(firstAt, points.at(-1)?.t ?? firstAt);

  const go = (moment: Moment): void => {
    const place = goToMoment(moment, { firstAt, lastAt, times: points.map(({ t }) => t) });
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
