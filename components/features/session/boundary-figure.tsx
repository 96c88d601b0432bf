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

/** Words in place of an unknown number, which is never a zero. */
export function NoFigure({ word, reason }: { word: React.ReactNode; reason: string }) {
  return (
    <>
      <p className="mt-[6px] text-title">{word}</p>
      <p className="mt-[4px] text-small text-ink2">{reason}</p>
    </>
  );
}

/** The next boundary, and when, with the forecast range. */
export function BoundaryFigure() {
  const { session } = useSessionPage();
  const { nextBoundary: next, compacting, liveness, forecast, client } = session;
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
          <WhoCompacts client={client} trigger={compacting.trigger} />
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
  const place = (
    <p className="mt-[4px]">
      <b>{boundaryTitle(next, client)}</b>{' '}
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
    const word = next.passed ? 'passed' : silentWords(forecast);
    return (
      <>
        <p className="mt-[8px] text-title">
          {!next.passed && liveness === 'idle' ? (
            'idle'
          ) : (
            <Figure figure="turns" name="next boundary">
              {word}
            </Figure>
          )}
        </p>
        {place}
        {next.passed ? <p className="text-small text-ink2">nothing further ahead of it</p> : null}
      </>
    );
  }
  const line = passedLineWords(session) ?? realEndWords(session);
  const turns = { value: formatExact(Math.max(1, Math.ceil(next.turns ?? 1))), unit: 'turns' };
  const title = next.minutes === null ? undefined : formatMinutes(next.minutes);
  return (
    <>
      <div className="flex flex-wrap items-end gap-x-[12px]">
        <div className={silence === '' ? '' : 'text-ink2'}>
          <Figure figure={minutes === null ? 'turns' : 'minutes'} name="to the next boundary">
            <Display {...(minutes === null ? turns : splitMinutes(minutes))} title={title} />
          </Figure>
        </div>
        {minutes !== null ? (
          <p className="pb-[3px] text-small">
            {forecast?.minutes && <MinutesRange minutes={forecast.minutes} />}
            {forecast?.turns && <TurnsRange session={session} turns={forecast.turns} />}
          </p>
        ) : forecast?.turns ? (
          <p className="pb-[3px] text-small text-ink2">
            <FiguresText
              text={`between ${formatExact(forecast.turns.low)} and ${formatExact(forecast.turns.high)}`}
            />
          </p>
        ) : null}
      </div>
      {place}
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
