'use client';
import { useId, useState } from 'react';
import { useClock } from '../../data/use-clock';
import { Announced, MinutesRange, TurnsRange, WhoCompacts } from '../../forecast/forecast-words';
import { boundaryTitle, passedLineWords } from '../../format/boundary-words';
import { silentWords } from '../../format/forecast-words';
import { formatMinutes, splitMinutes } from '../../format/format-duration';
import { formatPercentExact, formatPercentValue } from '../../format/format-percent';
import { formatExact, formatTokens } from '../../format/format-tokens';
import { HELD_SENTENCE, isCompacting, limitSign, silenceMs, silenceWords } from '../../format/session-words';
import { FiguresText } from '../../ui/figures-text';
import { CompactionGlyph, HeldGlyph } from '../../ui/glyphs';
import { SessionFacts } from './session-facts';
import { Figure, Fold, useSessionPage } from './session-page';
import { unknownReason } from './session-words';

/**
 * Pressure, next boundary, cost of the last compaction, and facts. On a narrow screen the facts are folded, so that the
 * chart is on the first screen.
 */
export function SessionFigures({ children }: { children: React.ReactNode }) {
  const facts = useId();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section
      aria-label="Figures"
      className="max-md:contents md:grid md:grid-cols-[200px_264px_1fr] md:gap-y-[14px] md:py-[12px] min-[87.5rem]:grid-cols-[calc(172px*var(--ui))_calc(244px*var(--ui))_calc(220px*var(--ui))_1fr]"
    >
      <div className="grid grid-cols-[112px_1fr] gap-y-[10px] py-[12px] max-md:col-span-2 md:contents">
        <div className="min-w-0 border-r border-hair pr-[12px]">
          <h2 className="text-small font-normal text-ink2">pressure</h2>
          <PressureFigure />
        </div>
        <div className="min-w-0 border-hair pl-[14px] md:border-r md:px-[20px]">
          <h2 className="text-small font-normal text-ink2">next boundary</h2>
          <BoundaryFigure />
        </div>
        <div className="col-span-2 min-w-0 border-hair max-md:border-t max-md:pt-[8px] md:col-span-1 md:pl-[24px] min-[87.5rem]:border-r min-[87.5rem]:pr-[8px] min-[87.5rem]:pl-[20px]">
          {children}
        </div>
      </div>
      <Fold
        isOpen={isOpen}
        of={facts}
        toggle={() => setIsOpen(!isOpen)}
        className="order-1 border-t border-ink md:hidden"
      >
        All figures
      </Fold>
      <div
        id={facts}
        className={`order-3 col-span-2 min-w-0 max-md:border-t max-md:border-hair max-md:py-[12px] md:col-span-3 md:border-t md:border-hair md:pt-[12px] min-[87.5rem]:col-span-1 min-[87.5rem]:border-t-0 min-[87.5rem]:pt-0 min-[87.5rem]:pl-[24px] ${isOpen ? '' : 'max-md:hidden'}`}
      >
        <SessionFacts />
      </div>
    </section>
  );
}

function PressureFigure() {
  const { session, data } = useSessionPage();
  const { used, limit, pressure, lens, complete, estimated } = session;
  const why = (figure: 'pressure' | 'used' | 'limit', children: React.ReactNode, className = '') => (
    <Figure figure={figure} name={figure === 'used' ? 'in use' : figure} className={className}>
      {children}
    </Figure>
  );
  if (session.state === 'untracked') {
    const reason = 'a turn had no usage; tracking resumes after the next boundary';
    return <NoFigure word={why('pressure', 'not tracked')} reason={reason} />;
  }
  if (used === null) {
    return <NoFigure word={why('pressure', 'unknown')} reason={unknownReason(session, data.contexts)} />;
  }
  const sign = complete ? (estimated ? '≈' : '') : '≥';
  const inUse = `${sign}${formatExact(used)}`;
  if (pressure === null || limit === null) {
    const [value, unit = ''] = formatTokens(used).split('\u00a0');
    return (
      <>
        {why('used', <Display value={`${sign}${value}`} unit={unit} title={`${inUse} tokens`} />)}
        <p className="text-small text-ink2">in use, limit unknown</p>
      </>
    );
  }
  const exact = `${sign}${formatPercentExact(pressure)}`;
  const notes = `${estimated ? ', estimated' : ''}${complete ? '' : ', turns were lost'}`;
  return (
    <>
      <div className="flex flex-wrap items-end gap-x-[12px]">
        {why('pressure', <Display value={`${sign}${formatPercentValue(pressure)}`} unit="%" title={exact} />)}
        <p className="pb-[3px] text-small" title={`${inUse} of ${formatExact(limit)} tokens`}>
          <span className="md:block">{why('used', `${sign}${formatTokens(used)}`, 'num')}</span>
          <span className="text-ink2 md:block">
            {' '}
            of {why('limit', `${limitSign(session.limitSource)}${formatTokens(limit)}`, 'num')}
          </span>
        </p>
      </div>
      <p className={`text-small text-ink2 md:mt-[5px] ${notes === '' ? 'max-md:hidden' : ''}`}>
        <Figure figure={lens} name="">
          {lens === 'snapshot' ? 'the context at the last reading' : 'input + output of this context'}
        </Figure>
        {notes}
      </p>
    </>
  );
}

function Display({ value, unit, title }: { value: string; unit: string; title?: string | undefined }) {
  return (
    <span className="inline-flex items-end whitespace-nowrap" title={title}>
      <span className="display">{value}</span>
      <span className="ml-[4px] pb-[3px] text-title font-normal">{unit}</span>
    </span>
  );
}

/** Words in place of an unknown number, which is never shown as zero. */
function NoFigure({ word, reason }: { word: React.ReactNode; reason: string }) {
  return (
    <>
      <p className="mt-[6px] text-title">{word}</p>
      <p className="mt-[4px] text-small text-ink2">{reason}</p>
    </>
  );
}

function BoundaryFigure() {
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
    const reason = session.used === null ? 'known after the next reading' : 'no known limit or line';
    const isUntracked = session.state === 'untracked';
    return <NoFigure word="unknown" reason={isUntracked ? 'no countdown without usage' : reason} />;
  }
  const place = (
    <p className="mt-[4px]">
      <b>{boundaryTitle(next, client)}</b>{' '}
      <span className="whitespace-nowrap">
        at{' '}
        <Figure
          figure={next.kind === 'restart' ? 'until-restart' : 'until-end'}
          name="position of the boundary"
          className="num"
          title={`${formatExact(next.at)} tokens`}
        >
          {formatTokens(next.at)}
        </Figure>
      </span>
    </p>
  );
  const { minutes } = next;
  if (next.passed || liveness === 'idle' || (minutes === null && next.turns === null)) {
    const word = next.passed ? 'passed' : liveness === 'idle' ? 'idle' : silentWords(forecast);
    return (
      <>
        <p className="mt-[8px] text-title">
          <Figure figure="turns" name="next boundary">
            {word}
          </Figure>
        </p>
        {place}
        {next.passed ? <p className="text-small text-ink2">no further boundary</p> : null}
        {next.passed || !forecast?.turns ? null : (
          <p className="text-small">
            <TurnsRange session={session} turns={forecast.turns} />
          </p>
        )}
      </>
    );
  }
  const line = passedLineWords(session);
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
          <FiguresText text={`${silence}, countdown paused`} />
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
