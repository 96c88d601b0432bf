import { memo } from 'react';
import type { Session } from '@/core/api/session';
import { SessionWhy } from '../../explain/session-why';
import { formatExact, formatTokens } from '../../format/format-tokens';
import { sessionMeta, sessionTitle } from '../../sessions/session-names';
import { burnRate } from '../../sessions/sort-sessions';
import { Ago } from '../../ui/ago';
import { PercentText, percentTitle } from '../../ui/percent';
import { StateLabel } from '../../ui/state-label';
import { NextCell } from './next-cell';
import { PressureBar } from './pressure-bar';
import { RowTrace } from './row-trace';
import { ArchiveMark, TroubleMark } from './session-marks';
import { UsedOfLimit, usedOfLimitTitle } from './used-of-limit';

interface SessionRowProps {
  session: Session;
  /** Place among the next to go, from 1; null: none. */
  rank: number | null;
  index: number;
  /** Right end of the trace, milliseconds. */
  now: number;
  traceWidth: number;
  /** To be compared. */
  isChosen: boolean;
  choose: (id: string) => void;
}

/** One session. Renders again only when its session, its rank or the axis moves. */
export const SessionRow = memo(function SessionRow({
  session,
  rank,
  index,
  now,
  traceWidth,
  isChosen,
  choose,
}: SessionRowProps) {
  const { pressure, state, liveness, contextCount, lastEvent, trouble, archiveFailure } = session;
  const rate = burnRate(session);
  const troubleId = `trouble-${session.id}`;
  const unread = pressure === null || state === 'untracked' || state === 'unknown';
  const quiet = liveness === 'live' ? '' : 'text-ink2';
  const meta = sessionMeta(session);
  const share = { ratio: pressure ?? 0, atLeast: !session.complete, estimated: session.estimated };
  return (
    <tr
      aria-rowindex={index + 2}
      data-row={index}
      className="session-row"
      {...(trouble === null && archiveFailure === null ? {} : { 'data-marked': '' })}
      style={{ top: `calc(var(--row) * ${index})` }}
    >
      <td className="c-state">
        <input
          type="checkbox"
          className="choose"
          tabIndex={-1}
          aria-label={`Compare ${sessionTitle(session)}`}
          title="Select to compare (x)"
          checked={isChosen}
          onChange={() => choose(session.id)}
        />
        <StateLabel state={state} hang />
      </td>
      <td className="c-rank num strong text-right text-small">{rank}</td>
      <td className="c-title">
        <div className="name">
          {/* No Link: the list follows it (use-row-keys.ts), and a row needs no watcher of its own. */}
          <a
            href={`/sessions/${session.id}`}
            className={`clip ${quiet}`}
            title={sessionTitle(session)}
            {...(rank === null ? {} : { 'data-rank': rank })}
            {...describedBy(session)}
          >
            {sessionTitle(session)}
          </a>
          {trouble === null ? null : <TroubleMark trouble={trouble} id={troubleId} />}
          {archiveFailure === null ? null : (
            <ArchiveMark session={session} failure={archiveFailure} id={`archive-${session.id}`} inRow />
          )}
        </div>
        <div className="sub clip" title={meta}>
          {meta}
        </div>
      </td>
      <td className="c-bar flex items-center gap-[8px]">
        <PressureBar session={session} className="w-[160px] min-w-0 max-md:w-[124px] max-md:shrink" />
        {unread ? (
          <span className="flex-1 text-right text-ink2">–</span>
        ) : (
          <SessionWhy
            session={session}
            figure="pressure"
            name="pressure"
            title={percentTitle(share)}
            className={`num flex-1 text-right ${quiet}`}
            inRow
          >
            <PercentText {...share} />
          </SessionWhy>
        )}
      </td>
      <td className="c-trace">
        <RowTrace session={session} now={now} width={traceWidth} />
      </td>
      <td
        className="c-used text-right"
        {...(rate === null ? {} : { 'data-rate': `${formatTokens(rate)}/min` })}
      >
        <SessionWhy
          session={session}
          figure="used"
          name="in use"
          title={usedOfLimitTitle(session)}
          className="num"
          inRow
        >
          <UsedOfLimit {...session} />
        </SessionWhy>
      </td>
      <td className="c-rate num text-right" {...(rate === null ? {} : { 'data-unit': '/min' })}>
        {rate === null ? (
          <span className="text-ink2">–</span>
        ) : (
          <SessionWhy
            session={session}
            figure="a-minute"
            name="tokens a minute"
            title={`${formatExact(Math.round(rate))} tokens a minute`}
            inRow
          >
            {formatTokens(rate)}
          </SessionWhy>
        )}
      </td>
      <td className="c-next">
        <NextCell session={session} now={now} />
      </td>
      <td className="c-count num text-right" title={contextsTitle(session)}>
        <SessionWhy session={session} figure="contexts" name="contexts" inRow>
          {contextCount}
        </SessionWhy>
      </td>
      <td className="c-event sub" title={lastEvent?.label}>
        {lastEvent === null ? null : (
          <>
            <span className="clip">{lastEvent.label}</span>
            <Ago at={lastEvent.at} inRow />
          </>
        )}
      </td>
      <td className="c-age sub text-right">
        {session.lastTurnAt === null ? '–' : <Ago at={session.lastTurnAt} inRow />}
      </td>
    </tr>
  );
});

/** The reasons of its marks, for screen readers. */
function describedBy({ id, trouble, archiveFailure }: Session): { 'aria-describedby'?: string } {
  const ids = [trouble === null ? '' : `trouble-${id}`, archiveFailure === null ? '' : `archive-${id}`];
  const describedBy = ids.filter((name) => name !== '').join(' ');
  return describedBy === '' ? {} : { 'aria-describedby': describedBy };
}

function contextsTitle({ contextCount, continuations, compactions }: Session): string {
  return `${formatExact(contextCount)} contexts: ${formatExact(continuations)} restarts, ${formatExact(compactions)} compactions`;
}
