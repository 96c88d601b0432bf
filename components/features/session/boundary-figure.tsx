import { useClock } from '../../data/use-clock';
import { Announced, MinutesRange, TurnsRange, WhoCompacts } from '../../forecast/forecast-words';
import { boundaryTitle, passedLineWords, realEndWords } from '../../format/boundary-words';
import { silentWords } from '../../format/forecast-words';
import { formatMinutes, splitMinutes } from '../../format/format-duration';
import { formatExact, formatTokens } from '../../format/format-tokens';
import { HELD_SENTENCE, isCompacting, silenceMs, silenceWords } from '../../format/session-words';
import { FiguresText } from '../../ui/figures-text';
import { CompactionGlyph, HeldGlyph } from '../../ui/glyphs';
import { Figure, useSessionPage } from './session-page';

/** A number of the figures row, 48 px high, its unit beside it. */
export function Display({ value, unit, title }: { value: string; unit: string; title?: string | undefined }) {
  return (
    <span className="inline-flex items-end whitespace-nowrap" title={title}>
      <span className="display">{value}</span>
      <span className="ml-[4px] pb-[3px] text-title font-normal">{unit}</span>
    </span>
  );
}

/** In the place of a number that does not exist: never a zero. */
export function NoFigure({ word, reason }: { word: React.ReactNode; reason: string }) {
  return (
    <>
      <p className="mt-[6px] text-title">{word}</p>
      <p className="mt-[4px] text-small text-ink2">{reason}</p>
    </>
  );
}

/** What happens next, and when, with the forecast range. */
export function BoundaryFigure() {
  const { session } = useSessionPage();
  const { nextBoundary: next, compacting, liveness, forecast } = session;
  // Silence longer than usual: the countdown is held until the next turn.
  const silence = useClock((now) => {
    const silent = silenceMs(session, now);
    return silent === null ? '' : silenceWords(silent);
  });
  if (liveness === 'ended') return <NoFigure word="ended" reason="the session is over" />;
  if (compacting !== null && isCompacting(session)) {
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
  if (next === null) {
    const reason =
      session.used === null ? 'known again with the next reading' : 'no limit and no line is known';
    const isUntracked = session.state === 'untracked';
    return <NoFigure word="not known" reason={isUntracked ? 'nothing to count down from' : reason} />;
  }
  const what = (
    <p className="mt-[4px]">
      <b>{boundaryTitle(next, session.client)}</b>{' '}
      <span className="whitespace-nowrap">
        at{' '}
        <Figure
          figure={next.kind === 'restart' ? 'until-restart' : 'until-end'}
          name="the boundary’s place"
          className="num"
          title={`${formatExact(next.at)} tokens`}
        >
          {formatTokens(next.at)}
        </Figure>
      </span>
    </p>
  );
  const minutes = liveness === 'live' ? next.minutes : null;
  if (next.passed || (minutes === null && next.turns === null)) {
    return (
      <>
        <p className="mt-[8px] text-title">
          {!next.passed && liveness === 'idle' ? (
            'idle'
          ) : (
            <Figure figure="turns" name="next boundary">
              {next.passed ? 'passed' : silentWords(forecast)}
            </Figure>
          )}
        </p>
        {what}
        {next.passed ? <p className="text-small text-ink2">nothing further ahead of it</p> : null}
      </>
    );
  }
  const line = passedLineWords(session) ?? realEndWords(session);
  const { value, unit } =
    minutes === null
      ? { value: formatExact(Math.max(1, Math.ceil(next.turns ?? 1))), unit: 'turns' }
      : splitMinutes(minutes);
  return (
    <>
      <div className="flex flex-wrap items-end gap-x-[12px]">
        <div className={silence === '' ? '' : 'text-ink2'}>
          <Figure figure={minutes === null ? 'turns' : 'minutes'} name="to the next boundary">
            <Display
              value={value}
              unit={unit}
              title={next.minutes === null ? undefined : formatMinutes(next.minutes)}
            />
          </Figure>
        </div>
        {minutes === null ? (
          forecast?.turns && (
            <p className="pb-[3px] text-small text-ink2">
              between <span className="num">{formatExact(forecast.turns.low)}</span> and{' '}
              <span className="num">{formatExact(forecast.turns.high)}</span>
            </p>
          )
        ) : (
          <p className="pb-[3px] text-small">
            {forecast?.minutes && <MinutesRange minutes={forecast.minutes} />}
            {forecast?.turns && <TurnsRange session={session} turns={forecast.turns} />}
          </p>
        )}
      </div>
      {what}
      {minutes === null || silence === '' ? null : (
        <p className="text-small" title={HELD_SENTENCE}>
          <HeldGlyph size={9} />
          <FiguresText text={`${silence}, countdown held`} />
        </p>
      )}
      {line === null ? null : (
        <p className="text-small text-ink2">
          <FiguresText text={line} />
        </p>
      )}
    </>
  );
}
