'use client';
import { useId, useState } from 'react';
import type { SeriesPoint } from '@/core/api/series';
import type { Context, Session } from '@/core/api/session';
import { SessionWhy } from '../../explain/session-why';
import { formatPercentExact, formatPercentValue } from '../../format/format-percent';
import { formatExact, formatTokens } from '../../format/format-tokens';
import { BoundaryFigure } from './boundary-figure';
import { Display, NoFigure } from './figure-parts';
import { Fold } from './fold';
import { SessionFacts } from './session-facts';
import { unknownReason } from './session-words';

interface SessionFiguresProps {
  session: Session;
  /** What the last boundary cost. */
  cost: React.ReactNode;
  /** What ended the context before the open one; null: nothing did. */
  lastEndedBy: Context['endedBy'];
  /** Of the main chain, the whole session. */
  points: readonly SeriesPoint[];
  /** The most that was in use in the open context, tokens; null: not known. */
  peak: number | null;
}

/**
 * Figures in the order of the questions: pressure, next boundary, cost of the last compaction, and their sources.
 * On a narrow screen the facts are folded, so that the chart is on the first screen.
 */
export function SessionFigures({ session, points, lastEndedBy, peak, cost }: SessionFiguresProps) {
  const facts = useId();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section
      aria-label="Figures"
      className="max-md:contents md:grid md:grid-cols-[200px_264px_1fr] md:gap-y-[14px] md:py-[16px] min-[87.5rem]:grid-cols-[172px_244px_228px_1fr]"
    >
      <div className="grid grid-cols-[112px_1fr] gap-y-[10px] py-[12px] max-md:col-span-2 md:contents">
        <div className="min-w-0 border-r border-hair pr-[12px]">
          <h2 className="text-small font-normal text-ink2">pressure</h2>
          <PressureFigure session={session} lastEndedBy={lastEndedBy} />
        </div>
        <div className="min-w-0 border-hair pl-[14px] md:border-r md:px-[24px]">
          <h2 className="text-small font-normal text-ink2">next boundary</h2>
          <BoundaryFigure session={session} />
        </div>
        <div className="col-span-2 min-w-0 border-hair max-md:border-t max-md:pt-[8px] md:col-span-1 md:pl-[24px] min-[87.5rem]:border-r min-[87.5rem]:pr-[8px] min-[87.5rem]:pl-[20px]">
          {cost}
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
        <SessionFacts session={session} points={points} peak={peak} />
      </div>
    </section>
  );
}

/** Explains the lens of the number. */
const LENS_WORDS: Readonly<Record<Session['lens'], string>> = {
  snapshot: 'the context at the last reading',
  cumulative: 'input + output of this context',
};

function PressureFigure({ session, lastEndedBy }: Omit<SessionFiguresProps, 'points' | 'peak' | 'cost'>) {
  const { used, limit, pressure } = session;
  const sign = session.complete ? (session.estimated ? '≈' : '') : '≥';
  const notes = [
    ...(session.estimated ? ['estimated'] : []),
    ...(session.complete ? [] : ['turns were lost']),
  ];
  if (session.state === 'untracked') {
    return (
      <NoFigure
        word={
          <SessionWhy session={session} figure="pressure" name="pressure">
            not tracked
          </SessionWhy>
        }
        reason="a turn had no usage; tracking resumes after the next boundary"
      />
    );
  }
  if (used === null) {
    return (
      <NoFigure
        word={
          <SessionWhy session={session} figure="pressure" name="pressure">
            unknown
          </SessionWhy>
        }
        reason={unknownReason(session, lastEndedBy)}
      />
    );
  }
  if (pressure === null || limit === null) {
    const [value, unit] = formatTokens(used).split('\u00a0');
    return (
      <>
        <SessionWhy session={session} figure="used" name="in use">
          <Display value={`${sign}${value}`} unit={unit ?? ''} title={`${sign}${formatExact(used)} tokens`} />
        </SessionWhy>
        <p className="text-small text-ink2">in use; no limit is known</p>
      </>
    );
  }
  return (
    <>
      <div className="flex flex-wrap items-end gap-x-[12px]">
        <SessionWhy session={session} figure="pressure" name="pressure">
          <Display
            value={`${sign}${formatPercentValue(pressure)}`}
            unit="%"
            title={`${sign}${formatPercentExact(pressure)}`}
          />
        </SessionWhy>
        <p
          className="pb-[3px] text-small"
          title={`${sign}${formatExact(used)} of ${formatExact(limit)} tokens`}
        >
          <span className="md:block">
            <SessionWhy session={session} figure="used" name="in use" className="num">
              {sign}
              {formatTokens(used)}
            </SessionWhy>
          </span>
          <span className="text-ink2 md:block">
            {' '}
            of{' '}
            <SessionWhy session={session} figure="limit" name="limit" className="num">
              {formatTokens(limit)}
            </SessionWhy>
          </span>
        </p>
      </div>
      <p className={`text-small text-ink2 md:mt-[5px] ${notes.length > 0 ? '' : 'max-md:hidden'}`}>
        <SessionWhy session={session} figure={session.lens} name="">
          {LENS_WORDS[session.lens]}
        </SessionWhy>
        {notes.map((note) => `, ${note}`)}
      </p>
    </>
  );
}
