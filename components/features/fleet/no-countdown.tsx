'use client';
import { type ReactNode, useMemo } from 'react';
import type { Session } from '@/core/api/session';
import { connectGuides } from '../../connect/connect-guides';
import { useClock } from '../../data/use-clock';
import { useTimeZone } from '../../data/use-time-zone';
import { formatInstant, formatWhen } from '../../format/format-time';
import { formatCount, formatExact } from '../../format/format-tokens';
import { sessionTitle } from '../../sessions/session-names';
import { CommandBlock } from '../../ui/copy-button';
import type { FirstVisitProps } from './first-visit';
import { explainNoCountdown } from './prepare-next';

interface NoCountdownProps {
  sessions: readonly Session[];
  filtered: boolean;
  connect: FirstVisitProps;
}

/** In place of the next to go: why no session counts down, and what to do. */
export function NoCountdown({ sessions, filtered, connect }: NoCountdownProps) {
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
  const watch = connectGuides({ ...connect, stream: '', nowMs: 0 })[0]?.steps[0];
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
  /** What to do next, beside it. */
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
