import Link from 'next/link';
import { memo } from 'react';
import type { Session } from '@/core/api/session';
import { useTimeZone } from '../../../data/use-time-zone';
import { isCompacting } from '../../../format/compacting';
import { formatInstant } from '../../../format/format-time';
import { sessionMeta, sessionTitle } from '../../../sessions/session-names';
import { CompactionGlyph, HeldGlyph, LostArchiveGlyph, TroubleGlyph, troubleWord } from '../../../ui/glyphs';
import { Percent } from '../../../ui/percent';
import { StateLabel } from '../../../ui/state-label';
import { PressureBar } from '../pressure-bar';
import { PassedAgo } from '../session-marks';
import type { CardKind } from './wall-grid';
import { wallText } from './wall-text';
import { WallTrace } from './wall-trace';

interface WallCardProps {
  session: Session;
  kind: CardKind;
  /** Place on the wall, from 0. */
  index: number;
  /** Right end of the trace, milliseconds. */
  now: number;
}

/** One session, to be read from some metres away. Renders again only when its session or the axis moves. */
export const WallCard = memo(function WallCard({ session, kind, index, now }: WallCardProps) {
  const { state, pressure, liveness, trouble, archiveFailure } = session;
  const { figure, unit, lead, what, range, held, exact } = wallText(session, now);
  const zone = useTimeZone();
  const title =
    session.lastTurnAt === null
      ? exact
      : `${exact}. Last turn ${formatInstant(Date.parse(session.lastTurnAt), zone)}`;
  const unread = pressure === null || state === 'untracked' || state === 'unknown';
  const troubleId = `trouble-wall-${session.id}`;
  return (
    <li
      className="wall-cell"
      data-row={index}
      data-solid={state === 'redlined' && liveness === 'live' ? '' : undefined}
      data-quiet={liveness === 'live' ? undefined : ''}
    >
      <div className="wall-card" data-state={state}>
        <div className="wall-top">
          <StateLabel state={state} solid={false} />
          {trouble === null ? null : (
            <span className="wall-trouble">
              <TroubleGlyph kind={trouble.kind} />
              {troubleWord(trouble.kind)}
              <span id={troubleId} className="sr-only">
                {trouble.sentence}
              </span>
            </span>
          )}
          {archiveFailure === null ? null : (
            <span
              className="wall-trouble wall-lost"
              data-state="critical"
              title={archiveFailure.reason ?? ''}
            >
              <LostArchiveGlyph />
              archive failed
            </span>
          )}
          {unread ? null : (
            <Percent
              ratio={pressure}
              atLeast={!session.complete}
              estimated={session.estimated}
              className="wall-share"
            />
          )}
        </div>
        <h2 className="wall-title">
          <Link
            href={`/sessions/${session.id}`}
            prefetch={false}
            title={`${sessionTitle(session)}: ${sessionMeta(session)}`}
            {...(trouble === null ? {} : { 'aria-describedby': troubleId })}
          >
            {sessionTitle(session)}
          </Link>
        </h2>
        <div className="wall-figures" title={title}>
          {figure === '' ? null : (
            <p className="wall-time" data-held={held ? '' : undefined}>
              <span className="wall-figure">{figure}</span>
              {unit === '' ? null : <span className="wall-unit">{unit}</span>}
            </p>
          )}
          <div className="wall-lines">
            <p className={figure === '' ? 'wall-words' : 'wall-lead'}>
              {isCompacting(session) ? <CompactionGlyph size={24} /> : null}
              {held ? <HeldGlyph size={16} /> : null}
              {lead}
            </p>
            <p>{what}</p>
            {range === '' || kind === 'compact' ? null : (
              <p className="wall-range">
                {range}
                {figure.startsWith('+') ? <PassedAgo session={session} /> : null}
              </p>
            )}
          </div>
        </div>
        {kind === 'large' ? <WallTrace session={session} now={now} /> : null}
        <div className="wall-bar">
          <PressureBar session={session} />
        </div>
      </div>
    </li>
  );
});
