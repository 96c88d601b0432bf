import type { Session } from '@/core/api/session';
import { boundaryTitle } from '../format/boundary-words';
import { formatExact, formatTokens } from '../format/format-tokens';
import { Percent } from '../ui/percent';
import { StateLabel } from '../ui/state-label';
import { sessionTitle } from './session-names';

interface TooEarlyProps {
  /** Live sessions from warning on. */
  near: number;
  /** The three of them with the least room. */
  nearest: readonly Session[];
}

/**
 * Nobody can be named, said as large as a name would be: sessions stand near a boundary, and none of them has shown
 * enough turns to reckon with. Who has the least room left is what is known.
 */
export function TooEarly({ near, nearest }: TooEarlyProps) {
  return (
    <div className="too-early">
      <div>
        <p className="display">Too early to say</p>
        <p className="pt-[8px] text-ink2">
          {near === 1 ? 'The session' : `Of ${formatExact(near)} sessions`} near a boundary
          {near === 1 ? ' has' : ' none has'} shown enough turns yet: a forecast needs a few in the same
          context.
        </p>
      </div>
      <div>
        <p className="text-small text-ink2">least room left</p>
        <ol>
          {nearest.map((session) => (
            <li key={session.id} className="flex h-[28px] items-center gap-[12px] border-b border-hair">
              <StateLabel state={session.state} />
              {session.pressure === null ? null : <Percent ratio={session.pressure} />}
              <a href={`/sessions/${session.id}`} className="min-w-0 flex-1 truncate hover:underline">
                {sessionTitle(session)}
              </a>
              {session.nextBoundary === null ? null : (
                <span className="whitespace-nowrap">
                  <span className="num strong">
                    {formatTokens(session.nextBoundary.left, { fine: true })}
                  </span>
                  <span className="text-ink2 max-md:hidden">
                    {' '}
                    until {boundaryTitle(session.nextBoundary, session.client)}
                  </span>
                </span>
              )}
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
}
