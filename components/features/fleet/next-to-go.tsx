'use client';
import { type ReactNode, Suspense, useMemo } from 'react';
import type { Session } from '@/core/api/session';
import { connectGuides } from '../../connect/connect-guides';
import type { ConnectPlace } from '../../connect/empty-page';
import { useClock } from '../../data/use-clock';
import { useAxisNow, useLostSince } from '../../data/use-live-status';
import { useTimeZone } from '../../data/use-time-zone';
import { formatInstant, formatWhen } from '../../format/format-time';
import { formatCount, formatExact } from '../../format/format-tokens';
import { isCompacting } from '../../format/session-words';
import { sessionTitle } from '../../sessions/session-names';
import { CommandBlock } from '../../ui/copy-button';
import { lazyPart } from '../../ui/lazy-part';
import { useHeldOrder } from '../../ui/use-held-order';
import { NextCard } from './next-card';
import { explainNoCountdown } from './prepare-next';
import { prepareStory } from './story/prepare-story';

const ImportStory = lazyPart(() => import('./story/import-story'));

const AXIS_STEP_MS = 5_000;
/** Least height of the story, also before it is loaded. */
const STORY_HEIGHT = 'min-h-[780px] xl:min-h-[580px]';

interface NextToGoProps {
  next: readonly Session[];
  byId: ReadonlyMap<string, Session>;
  /** Filters and sort as text. A change releases the held order. */
  question: string;
  filtered: boolean;
  compacting: number;
  sessions: readonly Session[];
  connect: ConnectPlace;
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
  // Sessions that the list hides as older belong to the import.
  const story = useMemo(() => {
    const isLive = sessions.some(({ liveness }) => liveness === 'live');
    return !isEmpty || filtered || isLive ? null : prepareStory(byId.values());
  }, [isEmpty, filtered, sessions, byId]);
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
          {story === null ? 'Next boundaries' : 'Imported'}
          <span className="min-w-0 truncate font-normal text-ink2">
            {isEmpty ? '' : subtitle.filter((part) => part !== '').join(', ')}
          </span>
        </h2>
        {isEmpty ? null : <ChartKey />}
        <button
          type="button"
          className="link whitespace-nowrap max-md:hidden"
          title="Full-screen cards for a wall display (w)"
          aria-keyshortcuts="w"
          onClick={showWall}
        >
          Wall
        </button>
      </div>
      {story !== null ? (
        <Suspense fallback={<div className={STORY_HEIGHT} />}>
          <ImportStory story={story} byId={byId} className={STORY_HEIGHT} />
        </Suspense>
      ) : isEmpty ? (
        <NoCountdown sessions={sessions} filtered={filtered} connect={connect} />
      ) : (
        <ol className="grid grid-cols-2 pb-[9px] min-[1100px]:grid-cols-3" {...handlers}>
          {shown.map((session, index) => {
            // Each rank keeps its card, because browsers count moving cards as layout shifts.
            const rank = index + 1;
            return <NextCard key={rank} session={session} rank={rank} now={now} nowLabel={lost ?? 'now'} />;
          })}
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
  connect: ConnectPlace;
}

function NoCountdown({ sessions, filtered, connect }: NoCountdownProps) {
  const { live, near, reasons, last } = useMemo(() => explainNoCountdown(sessions), [sessions]);
  if (sessions.length === 0) return null;
  if (near > 0) {
    return (
      <EmptyState title="No forecast yet">
        {formatCount(near, 'session')} near a boundary, with too few turns for a forecast
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
      <a className="link inline-block max-w-[44ch] truncate align-bottom" href={`/sessions/${session.id}`}>
        {sessionTitle(session)}
      </a>
    </>
  );
}
