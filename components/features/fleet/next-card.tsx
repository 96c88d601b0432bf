import Link from 'next/link';
import { memo } from 'react';
import type { Session } from '@/core/api/session';
import { SessionWhy } from '../../explain/session-why';
import { isCompacting } from '../../format/compacting';
import { sessionMeta, sessionTitle } from '../../sessions/session-names';
import { Percent } from '../../ui/percent';
import { StateLabel } from '../../ui/state-label';
import { MiniChart } from './mini-chart';
import { CompactingWords, CountedWords } from './next-words';
import { ArchiveMark, TroubleMark } from './session-marks';

interface NextCardProps {
  session: Session;
  rank: number;
  now: number;
  nowLabel: string;
  /** Share of the limit at the foot of its chart, one for all cards. */
  floor: number;
}

/** A card of the next to go: countdown, range, boundary and chart. */
export const NextCard = memo(function NextCard({ session, rank, now, nowLabel, floor }: NextCardProps) {
  const { nextBoundary: next, trouble, archiveFailure } = session;
  const troubleId = `trouble-next-${session.id}`;
  const compacting = isCompacting(session) ? session.compacting : null;
  if (next?.minutes == null && compacting === null) return null;
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
        {archiveFailure === null ? null : (
          <ArchiveMark session={session} failure={archiveFailure} id={`archive-next-${session.id}`} />
        )}
        <Standing session={session} />
      </div>
      <div className="meta truncate text-small text-ink2">{sessionMeta(session)}</div>
      <Standing session={session} className="below" />
      {compacting !== null ? (
        <CompactingWords session={session} compacting={compacting} />
      ) : next?.minutes == null ? null : (
        <CountedWords session={session} next={next} minutesLeft={next.minutes} now={now} />
      )}
      <div className="chart">
        <MiniChart session={session} now={now} nowLabel={nowLabel} floor={floor} />
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
