import { memo } from 'react';
import type { Session } from '@/core/api/session';
import { SessionWhy } from '../../explain/session-why';
import { formatCount, formatExact, formatTokens } from '../../format/format-tokens';
import { sessionMeta, sessionTitle } from '../../sessions/session-names';
import { burnRate } from '../../sessions/sort-sessions';
import { Ago } from '../../ui/ago';
import { PercentText, percentTitle } from '../../ui/percent';
import { StateLabel } from '../../ui/state-label';
import { COLUMN } from './list-head';
import { PressureBar } from './pressure-bar';
import { Marks, marksId, NextCell, UsedOfLimit } from './session-cells';
import { RowTrace } from './trace';

interface SessionRowProps {
  session: Session;
  rank: number | null;
  index: number;
  /** Right end of the trace, milliseconds. */
  now: number;
  trace: Record<'width' | 'height', number>;
  isChosen: boolean;
  choose: (id: string) => void;
}

export const SessionRow = memo(function SessionRow(props: SessionRowProps) {
  const { session, rank, index, now, trace, isChosen, choose } = props;
  const { pressure, state, liveness, contextCount, lastEvent, lastTurnAt } = session;
  const rate = burnRate(session);
  const describedBy = marksId(session, 'row');
  const unread = pressure === null || state === 'untracked' || state === 'unknown';
  const quiet = liveness === 'live' ? '' : 'text-ink2';
  const title = sessionTitle(session);
  const meta = sessionMeta(session);
  const share = { ratio: pressure ?? 0, atLeast: !session.complete, estimated: session.estimated };
  return (
    <tr
      aria-rowindex={index + 2}
      data-row={index}
      className="session-row group focus-within:z-10 data-marked:hover:z-10"
      data-marked={describedBy === undefined ? undefined : ''}
      style={{ transform: `translateY(calc(var(--row) * ${index}))` }}
    >
      <td className="max-md:order-2 max-md:w-[88px]">
        <input
          type="checkbox"
          className="absolute top-0 left-[-24px] h-full w-[24px] cursor-pointer appearance-none before:absolute before:top-[calc(50%-5.5px)] before:left-[1px] before:size-[11px] before:border before:border-ink3 before:bg-paper before:opacity-0 group-focus-within:before:opacity-100 group-hover:before:opacity-100 checked:before:border-ink checked:before:bg-ink checked:before:opacity-100 checked:before:shadow-[inset_0_0_0_2px_var(--paper)] hover:before:border-ink max-md:left-[-16px] max-md:w-[16px] max-md:before:left-[2px] [@media(hover:none)]:before:opacity-100"
          tabIndex={-1}
          aria-label={`Select ${title}`}
          title="Select to compare or to send commands (x)"
          checked={isChosen}
          onChange={() => choose(session.id)}
        />
        <StateLabel state={state} hang />
      </td>
      <td className="num strong text-right text-small max-md:hidden">{rank}</td>
      <td className="max-md:contents">
        <div className="flex min-w-0 items-center gap-[7px] max-md:flex-1">
          {/* use-row-keys.ts opens this link without a page reload. */}
          <a
            href={`/sessions/${session.id}`}
            className={`clip min-w-0 ${quiet} ${rank === null ? '' : 'max-md:before:font-semibold max-md:before:content-[attr(data-rank)_"_"]'}`}
            title={title}
            data-rank={rank ?? undefined}
            aria-describedby={describedBy}
          >
            {title}
          </a>
          <Marks session={session} place="row" note="max-md:inset-x-0 max-md:w-auto max-md:max-w-none" />
        </div>
        <div className="sub clip max-md:hidden" title={meta}>
          {meta}
        </div>
      </td>
      <td className="c-bar flex items-center gap-[8px] max-md:order-3 max-md:min-w-0 max-md:flex-1">
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
      <td className={COLUMN.trace}>
        <RowTrace session={session} now={now} {...trace} />
      </td>
      <td className={`c-used ${COLUMN.used}`}>
        <UsedOfLimit session={session} />
        {rate === null ? null : (
          <div className="sub min-[1120px]:hidden max-[900px]:hidden">{formatTokens(rate)}/min</div>
        )}
      </td>
      <td className={`num ${COLUMN.rate}`}>
        {rate === null ? (
          <span className="text-ink2">–</span>
        ) : (
          <SessionWhy
            session={session}
            figure="a-minute"
            name="tokens per minute"
            title={`${formatExact(Math.round(rate))} tokens per minute`}
            inRow
          >
            {formatTokens(rate)}
          </SessionWhy>
        )}
      </td>
      <td className="c-next max-md:contents">
        <NextCell session={session} now={now} />
      </td>
      <td className={`num ${COLUMN.count}`} title={contextsTitle(session)}>
        <SessionWhy session={session} figure="contexts" name="contexts" inRow>
          {contextCount}
        </SessionWhy>
      </td>
      <td className={`sub flex gap-[4px] ${COLUMN.event}`} title={lastEvent?.label}>
        {lastEvent === null ? null : (
          <>
            <span className="clip">{lastEvent.label}</span>
            <Ago at={lastEvent.at} className="flex-none before:content-['·_']" inRow />
          </>
        )}
      </td>
      <td className={`sub ${COLUMN.age}`}>{lastTurnAt === null ? '–' : <Ago at={lastTurnAt} inRow />}</td>
    </tr>
  );
});

function contextsTitle({ contextCount, continuations, compactions }: Session): string {
  const restarts = formatCount(continuations, 'restart');
  return `${formatCount(contextCount, 'context')}: ${restarts}, ${formatCount(compactions, 'compaction')}`;
}
