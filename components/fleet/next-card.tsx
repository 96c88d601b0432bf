import Link from 'next/link';
import { memo } from 'react';
import type { Session } from '@/core/api/session';
import { boundarySource, boundaryTitle } from '../format/boundary-words';
import { splitMinutes } from '../format/format-duration';
import { formatExact, formatTokens } from '../format/format-tokens';
import { Percent } from '../ui/percent';
import { StateLabel } from '../ui/state-label';
import { turnsLeft } from './boundary-text';
import { MiniChart } from './mini-chart';
import { sessionMeta, sessionTitle } from './session-names';

interface NextCardProps {
  session: Session;
  rank: number;
  now: number;
}

/** One of the three that go next: how long, in how many turns, what happens, and the line that leads there. */
export const NextCard = memo(function NextCard({ session, rank, now }: NextCardProps) {
  const { nextBoundary: next, pressure, state, tokensPerTurn, client } = session;
  if (next?.minutes == null) return null;
  const left = splitMinutes(next.minutes);
  const turns = next.turns === null ? null : turnsLeft(next.turns);
  const large = rank === 1;
  const wideOnly = large ? '' : 'max-[1099px]:hidden';
  return (
    <li className="next-card" data-rank={rank}>
      <div className="flex min-w-0 items-baseline gap-[7px] [grid-area:head]">
        <span className="num strong w-[9px] shrink-0">{rank}</span>
        <h3
          className={`min-w-0 flex-1 truncate ${large ? 'text-title' : 'text-title max-[1099px]:text-body'}`}
        >
          <Link
            href={`/sessions/${session.id}`}
            prefetch={false}
            title={sessionTitle(session)}
            className="hover:underline hover:decoration-1 hover:underline-offset-4"
          >
            {sessionTitle(session)}
          </Link>
        </h3>
        <span className={`flex items-baseline gap-[10px] max-md:hidden ${wideOnly}`}>
          <Standing state={state} pressure={pressure} session={session} />
        </span>
      </div>
      <div
        className={`truncate pl-[16px] text-small text-ink2 max-md:pl-0 max-md:[grid-area:meta] md:[grid-area:meta] ${wideOnly}`}
      >
        {sessionMeta(session)}
      </div>
      {large ? (
        <div className="flex items-baseline gap-[10px] [grid-area:state] md:hidden">
          <Standing state={state} pressure={pressure} session={session} />
        </div>
      ) : null}
      <div className="flex flex-col pt-[14px] pl-[16px] [grid-area:words] max-[1099px]:pt-0 max-md:pl-0">
        <div
          className={
            large
              ? 'flex flex-wrap items-end gap-x-[12px]'
              : 'flex flex-wrap items-end gap-x-[12px] max-[1099px]:hidden'
          }
        >
          <p className="whitespace-nowrap">
            <span className="display">{left.value}</span>
            <span className="pl-[4px] text-title font-normal">{left.unit}</span>
          </p>
          <p className="pb-[4px] text-small">
            <span className="block text-ink2">at the present rate</span>
            {turns === null ? null : (
              <span className="block">
                <span className="num strong">{formatExact(turns)}</span> {turns === 1 ? 'turn' : 'turns'}
              </span>
            )}
          </p>
        </div>
        {large ? null : (
          <p className="pl-[16px] min-[1100px]:hidden">
            <b>
              {left.value} {left.unit}
            </b>{' '}
            {turns === null ? '' : `${formatExact(turns)} ${turns === 1 ? 'turn' : 'turns'}`}
          </p>
        )}
        <p
          className={`pt-[8px] max-[1099px]:pt-0 ${large ? '' : 'max-[1099px]:pl-[16px] max-[1099px]:text-small max-[1099px]:text-ink2'}`}
          title={`${formatExact(next.at)} tokens, ${boundarySource(next.source)}`}
        >
          <b className={large ? '' : 'max-[1099px]:font-normal'}>{boundaryTitle(next.kind, client)}</b> at{' '}
          <span className="num">{formatTokens(next.at)}</span>
        </p>
        <p className={`text-small text-ink2 ${wideOnly}`} title={`${formatExact(next.left)} tokens left`}>
          <span className="num">{formatTokens(next.left, { fine: true })}</span> left
          {tokensPerTurn === null ? null : (
            <>
              , <span className="num">{formatTokens(tokensPerTurn, { fine: true })}</span> a turn
            </>
          )}
        </p>
      </div>
      <div className={`[grid-area:chart] ${wideOnly}`}>
        <MiniChart session={session} now={now} />
      </div>
    </li>
  );
});

function Standing({ state, pressure, session }: Pick<Session, 'state' | 'pressure'> & { session: Session }) {
  return (
    <>
      <StateLabel state={state} />
      {pressure === null ? null : (
        <Percent ratio={pressure} atLeast={!session.complete} estimated={session.estimated} />
      )}
    </>
  );
}
