'use client';
import { useClock } from '../data/use-clock';
import { useLastTurnAt, useLiveStatus } from '../data/use-live-status';
import { useTimeZone } from '../data/use-time-zone';
import { formatAge } from '../format/format-duration';
import { formatInstant, formatSince, formatWhen } from '../format/format-time';

/** *live* with the age of the last turn, *reconnecting*, or *stale since …*. */
export function LiveBadge() {
  const status = useLiveStatus();
  const { status: name } = status;
  return (
    <div className="flex items-center gap-[7px] whitespace-nowrap xl:w-[190px]">
      <svg width="7" height="7" viewBox="0 0 7 7" aria-hidden="true" className="shrink-0">
        {name === 'live' ? (
          <rect width="7" height="7" fill="var(--ink)" />
        ) : (
          <path
            d="M.6.6h5.8v5.8H.6z"
            fill="none"
            stroke="var(--ink)"
            strokeWidth="1.2"
            strokeDasharray={name === 'stale' || name === 'stopped' ? '1.5 1.4' : undefined}
          />
        )}
      </svg>
      <span role="status" className={name === 'live' ? '' : 'font-medium'}>
        {name}
      </span>
      <span
        className={`text-small text-ink2 tabular-nums ${name === 'stale' ? '' : name === 'live' ? 'hidden xl:inline' : 'hidden lg:inline'}`}
      >
        {name === 'live' ? <LastTurn /> : null}
        {name === 'reconnecting' ? 'showing last known data' : null}
        {name === 'stale' ? <Since at={status.since} /> : null}
      </span>
    </div>
  );
}

const HOUR_MS = 3_600_000;

/** `last turn 3 s ago`; `no turn since 14:03` after an hour. */
function LastTurn() {
  const at = useLastTurnAt();
  const zone = useTimeZone();
  const text = useClock((now) => {
    if (at == null) return at === null ? 'no turn yet' : '';
    const age = now - at;
    if (age < HOUR_MS) return `last turn ${formatAge(age)} ago`;
    return `no turn since ${age < 24 * HOUR_MS ? formatSince(at, now, zone) : formatWhen(at, zone, now)}`;
  });
  return <span title={at == null ? undefined : formatInstant(at, zone)}>{text}</span>;
}

function Since({ at }: { at: number }) {
  const zone = useTimeZone();
  const since = useClock((now) => formatSince(at, now, zone));
  return <span title={formatInstant(at, zone)}>since {since}</span>;
}
