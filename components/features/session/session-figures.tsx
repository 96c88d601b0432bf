'use client';
import { useId, useState } from 'react';
import { formatPercentExact, formatPercentValue } from '../../format/format-percent';
import { formatExact, formatTokens } from '../../format/format-tokens';
import { BoundaryFigure, Display, NoFigure } from './boundary-figure';
import { SessionFacts } from './session-facts';
import { Figure, Fold, useSessionPage } from './session-page';
import { unknownReason } from './session-words';

/**
 * Figures in the order of the questions: pressure, next boundary, cost of the last compaction, and their sources.
 * On a narrow screen the facts are folded, so that the chart is on the first screen.
 */
export function SessionFigures({ children }: { children: React.ReactNode }) {
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
          <PressureFigure />
        </div>
        <div className="min-w-0 border-hair pl-[14px] md:border-r md:px-[24px]">
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
  if (session.state === 'untracked' || used === null) {
    return session.state === 'untracked' ? (
      <NoFigure
        word={why('pressure', 'not tracked')}
        reason="a turn had no usage; tracking resumes after the next boundary"
      />
    ) : (
      <NoFigure word={why('pressure', 'unknown')} reason={unknownReason(session, data.contexts)} />
    );
  }
  const sign = complete ? (estimated ? '≈' : '') : '≥';
  if (pressure === null || limit === null) {
    const [value, unit = ''] = formatTokens(used).split('\u00a0');
    const title = `${sign}${formatExact(used)} tokens`;
    return (
      <>
        {why('used', <Display value={`${sign}${value}`} unit={unit} title={title} />)}
        <p className="text-small text-ink2">in use; no limit is known</p>
      </>
    );
  }
  const notes = `${estimated ? ', estimated' : ''}${complete ? '' : ', turns were lost'}`;
  return (
    <>
      <div className="flex flex-wrap items-end gap-x-[12px]">
        {why(
          'pressure',
          <Display
            value={`${sign}${formatPercentValue(pressure)}`}
            unit="%"
            title={`${sign}${formatPercentExact(pressure)}`}
          />,
        )}
        <p
          className="pb-[3px] text-small"
          title={`${sign}${formatExact(used)} of ${formatExact(limit)} tokens`}
        >
          <span className="md:block">{why('used', `${sign}${formatTokens(used)}`, 'num')}</span>
          <span className="text-ink2 md:block"> of {why('limit', formatTokens(limit), 'num')}</span>
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
