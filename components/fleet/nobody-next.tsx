'use client';
import { useMemo } from 'react';
import type { Session } from '@/core/api/session';
import { connectGuides } from '../connect/connect-guides';
import { formatInstant } from '../format/format-time';
import { formatCount, formatExact } from '../format/format-tokens';
import { formatWhen } from '../format/format-when';
import { useClock } from '../live/use-clock';
import { useTimeZone } from '../live/use-time-zone';
import { CommandBlock } from '../ui/command-block';
import type { FirstVisitProps } from './first-visit';
import { LeastRoom } from './least-room';
import { lastSpan, type Nobody, prepareNobody } from './prepare-nobody';
import { sessionTitle } from './session-names';

interface NobodyNextProps {
  /** Those that pass the filters. */
  sessions: readonly Session[];
  filtered: boolean;
  connect: FirstVisitProps;
}

/** Nobody goes next, as large as those who would: what is here instead, and what one can do. */
export function NobodyNext({ sessions, filtered, connect }: NobodyNextProps) {
  const nobody = useMemo(() => prepareNobody(sessions), [sessions]);
  if (sessions.length === 0) return null;
  return nobody.live === 0 ? (
    <Resting nobody={nobody} count={sessions.length} filtered={filtered} connect={connect} />
  ) : (
    <Calm nobody={nobody} />
  );
}

/** Sessions are at work, and none of them comes nearer to a boundary. */
function Calm({ nobody: { live, reasons, nearest } }: { nobody: Nobody }) {
  return (
    <div className="too-early">
      <div>
        <p className="display">Nothing counts down</p>
        <p className="pt-[8px] text-ink2">
          {formatCount(live, 'session is', 'sessions are')} at work:{' '}
          {reasons.map(({ words, count }) => `${formatExact(count)} ${words}`).join(', ')}.
        </p>
      </div>
      <LeastRoom nearest={nearest} />
    </div>
  );
}

interface RestingProps {
  nobody: Nobody;
  count: number;
  filtered: boolean;
  connect: FirstVisitProps;
}

/** Nobody is at work: since when, where to look at what was, and how it goes on. */
function Resting({ nobody: { last }, count, filtered, connect }: RestingProps) {
  const watch = connectGuides({ ...connect, stream: '', nowMs: 0 })[0]?.steps[0];
  return (
    <div className="too-early">
      <div>
        <p className="display">Nobody at work</p>
        <p className="pt-[8px] text-ink2">
          {last === null ? 'No turn came so far. ' : <LastTurn at={last.at} />}
          {filtered ? 'Of the sessions that match' : 'Below'} {count === 1 ? 'is' : 'are'}{' '}
          {formatCount(count, 'session')} as {count === 1 ? 'it was' : 'they were'} left; with the next turn
          the countdown is here.
        </p>
      </div>
      <div>
        <p className="text-small text-ink2">what to do now</p>
        <ul className="next-steps">
          {last === null ? null : (
            <>
              <li>
                <a className="link" href={`/sessions/${last.session.id}`}>
                  {sessionTitle(last.session)}
                </a>
                <span className="text-ink2">the session that worked last</span>
              </li>
              <li>
                <a className="link" href={`/history?${new URLSearchParams(lastSpan(last))}`}>
                  History of those hours
                </a>
                <span className="text-ink2">restarts, compactions and peaks of what was recorded</span>
              </li>
            </>
          )}
          <li>
            <a className="link" href="/connect">
              Connect a runner
            </a>
            <span className="text-ink2">or go on with this one</span>
          </li>
        </ul>
        {watch === undefined ? null : <CommandBlock command={watch.command} what={watch.title} />}
      </div>
    </div>
  );
}

function LastTurn({ at }: { at: number }) {
  const zone = useTimeZone();
  const when = useClock((now) => `${formatWhen(at, zone, now)}${now - at < 86_400_000 ? ' ago' : ''}`);
  return (
    <>
      The last turn came{' '}
      <time dateTime={new Date(at).toISOString()} className="num text-ink" title={formatInstant(at, zone)}>
        {when}
      </time>
      .{' '}
    </>
  );
}
