'use client';
import { type ReactNode, useMemo } from 'react';
import type { Session } from '@/core/api/session';
import { connectGuides } from '../../connect/connect-guides';
import { useClock } from '../../data/use-clock';
import { useAxisNow, useLostSince } from '../../data/use-live-status';
import { useTimeZone } from '../../data/use-time-zone';
import { formatInstant, formatWhen } from '../../format/format-time';
import { formatCount, formatExact } from '../../format/format-tokens';
import { isCompacting } from '../../format/session-words';
import { sessionTitle } from '../../sessions/session-names';
import { CommandBlock } from '../../ui/copy-button';
import { useHeldOrder } from '../../ui/use-held-order';
import type { FirstVisitProps } from './first-visit';
import { chartFloor } from './mini-chart';
import { NextCard } from './next-card';
import { explainNoCountdown } from './prepare-next';

const AXIS_STEP_MS = 5_000;

interface NextToGoProps {
  next: readonly Session[];
  byId: ReadonlyMap<string, Session>;
  /** Filters and sort as text. A change releases the held order. */
  question: string;
  filtered: boolean;
  compacting: number;
  sessions: readonly Session[];
  connect: FirstVisitProps;
  showWall: () => void;
}

/** The sessions that reach a boundary first. Their order is held while the pointer is over a card. */
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
      <div className="flex h-[28px] items-center gap-[16px] text-small max-md:h-[8px]">
        <h2
          id="next-to-go"
          className="flex min-w-0 flex-1 gap-[8px] font-medium whitespace-nowrap max-md:sr-only"
        >
          Next to go
          <span className="min-w-0 truncate font-normal text-ink2">
            {isEmpty ? '' : subtitle.filter((part) => part !== '').join(', ')}
          </span>
        </h2>
        {isEmpty ? null : <ChartKey />}
        <button
          type="button"
          className="link whitespace-nowrap max-md:hidden"
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

interface NoCountdownProps {
  sessions: readonly Session[];
  filtered: boolean;
  connect: FirstVisitProps;
}

function NoCountdown({ sessions, filtered, connect }: NoCountdownProps) {
  const { live, near, reasons, last } = useMemo(() => explainNoCountdown(sessions), [sessions]);
  if (sessions.length === 0) return null;
  if (near > 0) {
    return (
      <EmptyState title="Too early to say">
        {formatCount(near, 'session')} near a boundary without enough turns for a forecast
      </EmptyState>
    );
  }
  if (live > 0) {
    return (
      <EmptyState title="No countdown">
        {formatCount(live, 'live session')}:{' '}
        {reasons.map(({ words, count }) => `${formatExact(count)} ${words}`).join(', ')}
      </EmptyState>
    );
  }
  const watch = connectGuides({ ...connect, origin: '', stream: '', nowMs: 0 })[0]?.steps[0];
  return (
    <EmptyState
      title="No active sessions"
      next={watch && <CommandBlock command={watch.command} what={watch.title} />}
    >
      {last === null ? 'No turns yet' : <LastTurn {...last} />}.{' '}
      {filtered ? 'Matching sessions are idle or ended' : 'All sessions are idle or ended'}
    </EmptyState>
  );
}

interface EmptyStateProps {
  title: string;
  next?: ReactNode;
  children: ReactNode;
}

function EmptyState({ title, next, children }: EmptyStateProps) {
  return (
    <div className="grid grid-cols-1 gap-x-[44px] gap-y-[16px] pt-[10px] pb-[24px] min-[1100px]:grid-cols-2">
      <div>
        <p className="display max-md:text-[36px] max-md:leading-[40px]">{title}</p>
        <p className="pt-[8px] text-ink2">{children}</p>
      </div>
      <div>{next}</div>
    </div>
  );
}

function LastTurn({ session, at }: { session: Session; at: number }) {
  const zone = useTimeZone();
  const when = useClock((now) => `${formatWhen(at, zone, now)}${now - at < 86_400_000 ? ' ago' : ''}`);
  return (
    <>
      Last turn{' '}
      <time dateTime={new Date(at).toISOString()} className="num text-ink" title={formatInstant(at, zone)}>
        {when}
      </time>{' '}
      in{' '}
      <a className="link" href={`/sessions/${session.id}`}>
        {sessionTitle(session)}
      </a>
    </>
  );
}
