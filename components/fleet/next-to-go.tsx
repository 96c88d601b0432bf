'use client';
import type { Session } from '@/core/api/session';
import { isCompacting } from '../format/compacting';
import { formatCount } from '../format/format-tokens';
import { chartFloor } from './chart-floor';
import type { FirstVisitProps } from './first-visit';
import { BEFORE_MIN } from './mini-chart';
import { NextCard } from './next-card';
import { NobodyNext } from './nobody-next';
import { TooEarly } from './too-early';
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
  /** Live sessions that are compacted at this moment, shown or not. */
  compacting: number;
  /** Live sessions from warning on, where none goes next, and the three of them with the least room. */
  near: number;
  nearest: readonly Session[];
  /** All that pass the filters. */
  sessions: readonly Session[];
  connect: FirstVisitProps;
  showWall: () => void;
}

/** Who reaches a boundary first, when and why. Nothing changes places under the pointer. */
export function NextToGo(props: NextToGoProps) {
  const { next, byId, question, filtered, compacting, near, nearest, sessions, connect, showWall } = props;
  const now = useAxisNow(AXIS_STEP_MS);
  const lost = useLostSince();
  const { order, handlers } = useHeldOrder(
    next.map(({ id }) => id),
    question,
  );
  const shown = order
    .flatMap((id) => byId.get(id) ?? [])
    .filter((session) => session.nextBoundary?.minutes != null || isCompacting(session));
  const floor = chartFloor(shown, now - BEFORE_MIN * 60_000);
  return (
    <section aria-labelledby="next-to-go" className="border-t border-hair">
      <div className="flex h-[28px] items-center gap-[16px] text-small">
        <h2 id="next-to-go" className="flex min-w-0 flex-1 gap-[4px] font-medium whitespace-nowrap">
          Next to go
          <span className="min-w-0 truncate font-normal text-ink2">
            {shown.length > 0 ? saySomebody(compacting, lost) : sayNobody(near, filtered)}
          </span>
        </h2>
        {shown.length > 0 ? <ChartKey /> : null}
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
              floor={floor}
            />
          ))}
        </ol>
      ) : null}
      {shown.length > 0 ? null : near > 0 ? (
        <TooEarly near={near} nearest={nearest} />
      ) : (
        <NobodyNext sessions={sessions} filtered={filtered} connect={connect} />
      )}
    </section>
  );
}

/** What the marks of the three charts mean, once for all of them. */
function ChartKey() {
  return (
    <p className="flex items-center gap-[6px] whitespace-nowrap text-ink2 max-[1099px]:hidden">
      <svg width="22" height="10" viewBox="0 0 22 10" fill="none" aria-hidden="true">
        <path d="M0 2.5H22" stroke="var(--ink)" />
        <path d="M7 2.5H19" stroke="var(--warning)" strokeWidth="3" />
        <path d="M0 9.5L7 2.5M0 9.5L19 2.5" stroke="var(--warning)" strokeWidth=".75" strokeDasharray="2 2" />
      </svg>
      where four of five forecasts reach the line
    </p>
  );
}

function saySomebody(compacting: number, lost: string | null): string {
  const others = compacting > 1 ? `, ${formatCount(compacting, 'is', 'are')} compacting now` : '';
  return `the sessions that reach a boundary first${others}${lost === null ? '' : `, as it was at ${lost}`}`;
}

/** Nobody can be named: it is too early to say of those who are near a boundary, or nobody is. */
function sayNobody(near: number, filtered: boolean): string {
  if (near > 0) {
    return `of ${formatCount(near, 'session', 'sessions')} near a boundary nobody can say yet`;
  }
  return filtered
    ? 'none of these sessions is approaching a boundary'
    : 'no live session is approaching a boundary';
}
