'use client';
import type { Session } from '@/core/api/session';
import { formatCount } from '../format/format-tokens';
import { NextCard } from './next-card';
import { useAxisNow } from './use-axis-now';
import { useHeldOrder } from './use-held-order';
import { useLostSince } from './use-lost-since';

const AXIS_STEP_MS = 5_000;

interface NextToGoProps {
  /** The first to arrive first, at most three. */
  next: readonly Session[];
  byId: ReadonlyMap<string, Session>;
  /** Filters as text: a change of them is shown at once, whatever the pointer does. */
  question: string;
  filtered: boolean;
  /** Live sessions from warning on, where none goes next. */
  near: number;
  showWall: () => void;
}

/** Who reaches a boundary first, when and why. Nothing changes places under the pointer. */
export function NextToGo({ next, byId, question, filtered, near, showWall }: NextToGoProps) {
  const now = useAxisNow(AXIS_STEP_MS);
  const lost = useLostSince();
  const { order, handlers } = useHeldOrder(
    next.map(({ id }) => id),
    question,
  );
  const shown = order
    .flatMap((id) => byId.get(id) ?? [])
    .filter((session) => session.nextBoundary?.minutes != null);
  return (
    <section aria-labelledby="next-to-go" className="border-t border-hair">
      <div className="flex h-[28px] items-center gap-[16px] text-small">
        <h2 id="next-to-go" className="flex min-w-0 flex-1 gap-[4px] truncate font-medium">
          Next to go
          <span className="font-normal text-ink2">
            {shown.length > 0
              ? `the sessions that reach a boundary first${lost === null ? '' : `, as it was at ${lost}`}`
              : sayNobody(near, filtered)}
          </span>
        </h2>
        <button
          type="button"
          className="link whitespace-nowrap"
          title="Cards that fill the screen, for a screen on the wall (w)"
          aria-keyshortcuts="w"
          onClick={showWall}
        >
          Wall
        </button>
      </div>
      {shown.length > 0 ? (
        <ol className="grid grid-cols-2 pb-[9px] min-[1100px]:grid-cols-3" {...handlers}>
          {shown.map((session, index) => (
            <NextCard
              key={session.id}
              session={session}
              rank={index + 1}
              now={now}
              nowLabel={lost ?? 'now'}
            />
          ))}
        </ol>
      ) : null}
    </section>
  );
}

/** Nobody can be named: it is too early to say of those who are near a boundary, or nobody is. */
function sayNobody(near: number, filtered: boolean): string {
  if (near > 0) {
    return `too early to say of the ${formatCount(near, 'session that is', 'sessions that are')} near a boundary`;
  }
  return filtered
    ? 'none of these sessions is approaching a boundary'
    : 'no live session is approaching a boundary';
}
