'use client';
import { type ReactNode, useMemo } from 'react';
import type { Session } from '@/core/api/session';
import { connectGuides } from '../../connect/connect-guides';
import { useClock } from '../../data/use-clock';
import { useTimeZone } from '../../data/use-time-zone';
import { untilWords } from '../../format/boundary-words';
import { formatInstant, formatWhen } from '../../format/format-time';
import { formatCount, formatExact, formatTokens } from '../../format/format-tokens';
import { sessionTitle } from '../../sessions/session-names';
import { CommandBlock } from '../../ui/copy-button';
import { Percent } from '../../ui/percent';
import { StateLabel } from '../../ui/state-label';
import type { FirstVisitProps } from './first-visit';
import { explainNoCountdown, lastSpan } from './prepare-next';

interface NoCountdownProps {
  sessions: readonly Session[];
  filtered: boolean;
  connect: FirstVisitProps;
}

/** In place of the next to go: why no session counts down, and what to do. */
export function NoCountdown({ sessions, filtered, connect }: NoCountdownProps) {
  const { live, near, reasons, nearest, last } = useMemo(() => explainNoCountdown(sessions), [sessions]);
  if (sessions.length === 0) return null;
  if (live === 0) {
    return (
      <EmptyState
        title="No active sessions"
        text={
          <>
            {last === null ? 'No turns yet' : <LastTurn at={last.at} />}
            {filtered ? '. Matching sessions are idle or ended' : '. All sessions are idle or ended'}
          </>
        }
      >
        <ul className="pb-[12px]">
          {last === null ? null : (
            <>
              <Step href={`/sessions/${last.session.id}`} name={sessionTitle(last.session)}>
                the last active session
              </Step>
              <Step href={`/history?${new URLSearchParams(lastSpan(last))}`} name="History of those hours">
                restarts, compactions and peaks
              </Step>
            </>
          )}
          <Step href="/connect" name="Connect a runner">
            or continue with a connected one
          </Step>
        </ul>
        <WatchCommand {...connect} />
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title={near > 0 ? 'Too early to say' : 'No countdown'}
      text={
        near > 0
          ? `${formatCount(near, 'session')} near a boundary without enough turns for a forecast`
          : `${formatCount(live, 'live session')}: ${reasons.map(({ words, count }) => `${formatExact(count)} ${words}`).join(', ')}`
      }
    >
      {nearest.length === 0 ? null : <p className="text-small text-ink2">fewest tokens left</p>}
      <ol>
        {nearest.map((session) => (
          <LeastRoom key={session.id} session={session} />
        ))}
      </ol>
    </EmptyState>
  );
}

function EmptyState({ title, text, children }: { title: string; text: ReactNode; children: ReactNode }) {
  return (
    <div className="grid grid-cols-1 gap-x-[44px] gap-y-[16px] pt-[10px] pb-[24px] min-[1100px]:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
      <div>
        <p className="display max-md:text-[36px] max-md:leading-[40px]">{title}</p>
        <p className="pt-[8px] text-ink2">{text}</p>
      </div>
      <div>{children}</div>
    </div>
  );
}

function LeastRoom({ session }: { session: Session }) {
  const { id, state, pressure, nextBoundary, client } = session;
  return (
    <li className="flex h-[28px] items-center gap-[12px] border-b border-hair">
      <StateLabel state={state} />
      {pressure === null ? null : <Percent ratio={pressure} />}
      <a href={`/sessions/${id}`} className="min-w-0 flex-1 truncate hover:underline">
        {sessionTitle(session)}
      </a>
      {nextBoundary === null ? null : (
        <span className="whitespace-nowrap">
          <span className="num strong">{formatTokens(nextBoundary.left, { fine: true })}</span>
          <span className="text-ink2 max-md:hidden"> {untilWords(nextBoundary, client)}</span>
        </span>
      )}
    </li>
  );
}

function Step({ href, name, children }: { href: string; name: string; children: ReactNode }) {
  return (
    <li className="flex min-h-[28px] items-baseline gap-x-[14px] border-b border-hair py-[4px] max-md:flex-wrap">
      <a className="link truncate md:max-w-[60%]" href={href}>
        {name}
      </a>
      <span className="text-ink2">{children}</span>
    </li>
  );
}

function WatchCommand(connect: FirstVisitProps) {
  const watch = connectGuides({ ...connect, stream: '', nowMs: 0 })[0]?.steps[0];
  return watch && <CommandBlock command={watch.command} what={watch.title} />;
}

function LastTurn({ at }: { at: number }) {
  const zone = useTimeZone();
  const when = useClock((now) => `${formatWhen(at, zone, now)}${now - at < 86_400_000 ? ' ago' : ''}`);
  return (
    <>
      Last turn{' '}
      <time dateTime={new Date(at).toISOString()} className="num text-ink" title={formatInstant(at, zone)}>
        {when}
      </time>
    </>
  );
}
