import type { Compacting, Session } from '@/core/api/session';
import { useClock } from '../../data/use-clock';
import { SessionWhy } from '../../explain/session-why';
import { Announced, WhoCompacts } from '../../forecast/compacting-words';
import { MinutesRange, TurnsRange } from '../../forecast/range-words';
import { boundaryTitle } from '../../format/boundary-words';
import { isCompacting } from '../../format/compacting';
import { silentWords } from '../../format/forecast-words';
import { formatMinutes, splitMinutes } from '../../format/format-duration';
import { formatExact, formatTokens } from '../../format/format-tokens';
import { passedLineWords, realEndWords } from '../../format/line-words';
import { HELD_SENTENCE, silenceMs, silenceWords } from '../../format/silence';
import { FiguresText } from '../../ui/figures-text';
import { CompactionGlyph, HeldGlyph } from '../../ui/glyphs';
import { Display, NoFigure } from './figure-parts';

/** What happens next, and when, with the range that four of five forecasts hold. */
export function BoundaryFigure({ session }: { session: Session }) {
  const next = session.nextBoundary;
  if (session.liveness === 'ended') return <NoFigure word="ended" reason="the session is over" />;
  if (session.compacting !== null && isCompacting(session)) {
    return <CompactingFigure session={session} compacting={session.compacting} />;
  }
  if (next === null) {
    const reason =
      session.state === 'untracked'
        ? 'nothing to count down from'
        : session.used === null
          ? 'known again with the next reading'
          : 'no limit and no line is known';
    return <NoFigure word="not known" reason={reason} />;
  }
  const what = (
    <p className="mt-[4px]">
      <b>{boundaryTitle(next, session.client)}</b>{' '}
      <span className="whitespace-nowrap">
        at{' '}
        <SessionWhy
          session={session}
          figure={next.kind === 'restart' ? 'until-restart' : 'until-end'}
          name="the boundary’s place"
          className="num"
          title={`${formatExact(next.at)} tokens`}
        >
          {formatTokens(next.at)}
        </SessionWhy>
      </span>
    </p>
  );
  const line = passedLineWords(session) ?? realEndWords(session);
  if (next.passed) {
    return (
      <>
        <p className="mt-[8px] text-title">
          <SessionWhy session={session} figure="turns" name="next boundary">
            passed
          </SessionWhy>
        </p>
        {what}
        <p className="text-small text-ink2">nothing further ahead of it</p>
      </>
    );
  }
  const live = session.liveness === 'live' && next.minutes !== null;
  const { turns = null, minutes = null } = session.forecast ?? {};
  if (!live && next.turns === null) {
    return (
      <>
        <p className="mt-[8px] text-title">
          {session.liveness === 'idle' ? (
            'idle'
          ) : (
            <SessionWhy session={session} figure="turns" name="next boundary">
              {silentWords(session.forecast)}
            </SessionWhy>
          )}
        </p>
        {what}
      </>
    );
  }
  const big =
    live && next.minutes !== null
      ? splitMinutes(next.minutes)
      : { value: turnsOf(next.turns), unit: 'turns' };
  return (
    <>
      <div className="flex flex-wrap items-end gap-x-[12px]">
        <Muted session={session}>
          <SessionWhy session={session} figure={live ? 'minutes' : 'turns'} name="to the next boundary">
            <Display
              value={big.value}
              unit={big.unit}
              {...(next.minutes === null ? {} : { title: formatMinutes(next.minutes) })}
            />
          </SessionWhy>
        </Muted>
        {live ? (
          <p className="pb-[3px] text-small">
            {minutes === null ? null : <MinutesRange minutes={minutes} />}
            {turns === null ? null : <TurnsRange session={session} turns={turns} />}
          </p>
        ) : turns === null ? null : (
          <p className="pb-[3px] text-small text-ink2">
            between <span className="num">{formatExact(turns.low)}</span> and{' '}
            <span className="num">{formatExact(turns.high)}</span>
          </p>
        )}
      </div>
      {what}
      {live ? <Held session={session} /> : null}
      {line === null ? null : (
        <p className="text-small text-ink2">
          <FiguresText text={line} />
        </p>
      )}
    </>
  );
}

/** A figure that is held is no promise. */
function Muted({ session, children }: { session: Session; children: React.ReactNode }) {
  const isHeld = useClock((now) => silenceMs(session, now) !== null);
  return <div className={isHeld ? 'text-ink2' : ''}>{children}</div>;
}

/** Silence longer than usual: the countdown is held until the next turn. */
function Held({ session }: { session: Session }) {
  const words = useClock((now) => {
    const silent = silenceMs(session, now);
    return silent === null ? '' : silenceWords(silent);
  });
  if (words === '') return null;
  return (
    <p className="text-small" title={HELD_SENTENCE}>
      <HeldGlyph size={9} />
      <FiguresText text={`${words}, countdown held`} />
    </p>
  );
}

/** In place of a countdown: the client compacts at this moment, and its agent waits for it. */
function CompactingFigure({ session, compacting }: { session: Session; compacting: Compacting }) {
  return (
    <>
      <p className="mt-[8px] flex items-center gap-[8px] text-title">
        <CompactionGlyph size={16} />
        compacting now
      </p>
      <p className="mt-[4px]">
        <WhoCompacts client={session.client} trigger={compacting.trigger} />
      </p>
      <p className="text-small text-ink2">
        <Announced at={compacting.at} />
      </p>
    </>
  );
}

function turnsOf(turns: number | null): string {
  return turns === null ? '' : formatExact(Math.max(1, Math.ceil(turns)));
}
