'use client';
import type { Session } from '@/core/api/session';
import { useAxisNow, useLostSince } from '../../data/use-live-status';
import { formatCount } from '../../format/format-tokens';
import { isCompacting } from '../../format/session-words';
import { useHeldOrder } from '../../ui/use-held-order';
import type { FirstVisitProps } from './first-visit';
import { chartFloor } from './mini-chart';
import { NextCard } from './next-card';
import { NoCountdown } from './no-countdown';

const AXIS_STEP_MS = 5_000;

interface NextToGoProps {
  next: readonly Session[];
  byId: ReadonlyMap<string, Session>;
  /** Filters as text: a change of them is shown at once, whatever the pointer does. */
  question: string;
  filtered: boolean;
  /** Live sessions that are compacting now, shown or not. */
  compacting: number;
  sessions: readonly Session[];
  connect: FirstVisitProps;
  showWall: () => void;
}

/** The sessions that reach a boundary first. They do not swap under the pointer. */
export function NextToGo(props: NextToGoProps) {
  const { next, byId, question, filtered, compacting, sessions, connect, showWall } = props;
  const now = useAxisNow(AXIS_STEP_MS);
  const lost = useLostSince();
  const { order, handlers } = useHeldOrder(
    next.map(({ id }) => id),
    question,
  );
  const shown = order
    .flatMap((id) => byId.get(id) ?? [])
    .filter((session) => session.nextBoundary?.minutes != null || isCompacting(session));
  const isEmpty = shown.length === 0;
  const subtitle = [
    compacting > 1 ? `${formatCount(compacting, 'is', 'are')} compacting` : '',
    lost === null ? '' : `as of ${lost}`,
  ];
  return (
    <section aria-labelledby="next-to-go" className="border-t border-hair">
      <div className="flex h-[28px] items-center gap-[16px] text-small">
        <h2 id="next-to-go" className="flex min-w-0 flex-1 gap-[8px] font-medium whitespace-nowrap">
          Next to go
          <span className="min-w-0 truncate font-normal text-ink2">
            {isEmpty ? '' : subtitle.filter((part) => part !== '').join(', ')}
          </span>
        </h2>
        {isEmpty ? null : <ChartKey />}
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
      {isEmpty ? (
        <NoCountdown sessions={sessions} filtered={filtered} connect={connect} />
      ) : (
        <ol className="grid grid-cols-2 pb-[9px] min-[1100px]:grid-cols-3" {...handlers}>
          {shown.map((session, index) => (
            <NextCard
              key={session.id}
              session={session}
              rank={index + 1}
              now={now}
              nowLabel={lost ?? 'now'}
              floor={chartFloor(shown, now)}
            />
          ))}
        </ol>
      )}
    </section>
  );
}

function ChartKey() {
  return (
    <p className="flex items-center gap-[6px] whitespace-nowrap text-ink2 max-[1099px]:hidden">
      <svg width="22" height="10" viewBox="0 0 22 10" fill="none" aria-hidden="true">
        <path d="M0 2.5H22" stroke="var(--ink)" />
        <path d="M7 2.5H19" stroke="var(--warning)" strokeWidth="3" />
        <path d="M0 9.5L7 2.5M0 9.5L19 2.5" stroke="var(--warning)" strokeWidth=".75" strokeDasharray="2 2" />
      </svg>
      80 % forecast range
    </p>
  );
}
