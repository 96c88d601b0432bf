import type { Session } from '@/core/api/session';
import { untilWords } from '../format/boundary-words';
import { formatTokens } from '../format/format-tokens';
import { Percent } from '../ui/percent';
import { StateLabel } from '../ui/state-label';
import { sessionTitle } from './session-names';

/** Who has the least room left: known, where nothing can be said of the time. */
export function LeastRoom({ nearest }: { nearest: readonly Session[] }) {
  if (nearest.length === 0) return null;
  return (
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
                <span className="num strong">{formatTokens(session.nextBoundary.left, { fine: true })}</span>
                <span className="text-ink2 max-md:hidden">
                  {' '}
                  {untilWords(session.nextBoundary, session.client)}
                </span>
              </span>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}
