import Link from 'next/link';
import { memo } from 'react';
import type { Session } from '@/core/api/session';
import { SessionWhy } from '../explain/session-why';
import { boundarySource, boundaryTitle, boundaryWord } from '../format/boundary-words';
import { betweenWords, turnsRange, turnsUnit } from '../format/forecast-words';
import { splitMinutes } from '../format/format-duration';
import { formatExact, formatTokens } from '../format/format-tokens';
import { Percent } from '../ui/percent';
import { StateLabel } from '../ui/state-label';
import { MiniChart } from './mini-chart';
import { sessionMeta, sessionTitle } from './session-names';
import { TroubleMark } from './trouble-mark';

interface NextCardProps {
  session: Session;
  rank: number;
  now: number;
  nowLabel: string;
}

/** One of the three that go next: how long, in how many turns, how sure, what happens, and the way there. */
export const NextCard = memo(function NextCard({ session, rank, now, nowLabel }: NextCardProps) {
  const { nextBoundary: next, forecast, client, trouble } = session;
  const troubleId = `trouble-next-${session.id}`;
  if (next?.minutes == null) return null;
  const left = splitMinutes(next.minutes);
  const { turns = null, minutes = null, tokensPerTurn = null } = forecast ?? {};
  return (
    <li className="next-card">
      <div className="head flex min-w-0 items-center gap-[7px]">
        <span className="num strong w-[9px] shrink-0">{rank}</span>
        <h3 className={`min-w-0 flex-1 truncate text-title ${rank === 1 ? '' : 'max-[1099px]:text-body'}`}>
          <Link
            href={`/sessions/${session.id}`}
            prefetch={false}
            title={sessionTitle(session)}
            className="hover:underline hover:decoration-1 hover:underline-offset-4"
            {...(trouble === null ? {} : { 'aria-describedby': troubleId })}
          >
            {sessionTitle(session)}
          </Link>
        </h3>
        {trouble === null ? null : <TroubleMark trouble={trouble} id={troubleId} worded />}
        <Standing session={session} />
      </div>
      <div className="meta truncate text-small text-ink2">{sessionMeta(session)}</div>
      <Standing session={session} className="below" />
      <div className="words">
        <div className="flex items-end gap-x-[12px]">
          <p className="whitespace-nowrap">
            <SessionWhy session={session} figure="minutes" name="to the next boundary">
              <span className="display">{left.value}</span>
              <span className="pl-[4px] text-title font-normal">{left.unit}</span>
            </SessionWhy>
          </p>
          <p className="pb-[4px] text-small">
            {minutes === null ? null : (
              <span className="block text-ink2" title="four of five forecasts hold their range">
                {betweenWords(minutes)}
              </span>
            )}
            {turns === null ? null : (
              <span className="block">
                <SessionWhy session={session} figure="turns" name="to the next boundary">
                  <span className="whitespace-nowrap">
                    <span className="num strong">{formatExact(turns.mid)}</span> {turnsUnit(turns.mid)}
                  </span>{' '}
                  <span className="num text-ink2">({turnsRange(turns)})</span>
                </SessionWhy>
              </span>
            )}
          </p>
        </div>
        <div className="what pt-[8px]">
          <p title={`${formatExact(next.at)} tokens, ${boundarySource(next.source)}`}>
            <b>{boundaryTitle(next, client)}</b> at <span className="num">{formatTokens(next.at)}</span>
          </p>
          <p className="text-small text-ink2" title={`${formatExact(next.left)} tokens left`}>
            <span className="num">{formatTokens(next.left, { fine: true })}</span> left
            {tokensPerTurn === null ? null : (
              <>
                , <span className="num">{formatTokens(tokensPerTurn, { fine: true })}</span> a turn
              </>
            )}
          </p>
        </div>
      </div>
      <div className="brief">
        <p>
          <SessionWhy session={session} figure="minutes" name="to the next boundary">
            <b>
              {left.value} {left.unit}
            </b>
          </SessionWhy>{' '}
          {turns === null ? null : `${formatExact(turns.mid)} ${turnsUnit(turns.mid)}`}
        </p>
        <p className="truncate text-small text-ink2">
          {boundaryWord(next)} at {formatTokens(next.at)}
        </p>
      </div>
      <div className="chart">
        <MiniChart session={session} now={now} nowLabel={nowLabel} />
      </div>
    </li>
  );
});

function Standing({ session, className = '' }: { session: Session; className?: string }) {
  const { state, pressure, complete, estimated } = session;
  return (
    <div className={`standing ${className}`}>
      <StateLabel state={state} />
      {pressure === null ? null : (
        <SessionWhy session={session} figure="pressure" name="pressure">
          <Percent ratio={pressure} atLeast={!complete} estimated={estimated} />
        </SessionWhy>
      )}
    </div>
  );
}
