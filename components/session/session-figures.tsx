import type { Context, Session } from '@/core/api/session';
import { SessionWhy } from '../explain/session-why';
import { formatPercentExact, formatPercentValue } from '../format/format-percent';
import { formatExact, formatTokens } from '../format/format-tokens';
import { BoundaryFigure } from './boundary-figure';
import { Display, NoFigure } from './figure-parts';
import { SessionFacts } from './session-facts';
import { unknownReason } from './session-words';

interface SessionFiguresProps {
  session: Session;
  /** What ended the context before the open one; null: nothing did. */
  lastEndedBy: Context['endedBy'];
  /** The most that was in use in the open context, tokens; null: not known. */
  peak: number | null;
}

/** The figures in the order of the questions: how full, how long still, and what that stands on. */
export function SessionFigures({ session, lastEndedBy, peak }: SessionFiguresProps) {
  return (
    <section
      aria-label="Figures"
      className="grid grid-cols-2 gap-y-[16px] py-[16px] md:grid-cols-[200px_252px_1fr]"
    >
      <div className="min-w-0 border-r border-hair pr-[12px]">
        <h2 className="text-small font-normal text-ink2">pressure</h2>
        <PressureFigure session={session} lastEndedBy={lastEndedBy} />
      </div>
      <div className="min-w-0 border-hair pl-[16px] md:border-r md:px-[24px]">
        <h2 className="text-small font-normal text-ink2">next boundary</h2>
        <BoundaryFigure session={session} />
      </div>
      <div className="col-span-2 min-w-0 md:col-span-1 md:pl-[24px]">
        <SessionFacts session={session} peak={peak} />
      </div>
    </section>
  );
}

function PressureFigure({ session, lastEndedBy }: Omit<SessionFiguresProps, 'peak'>) {
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
        reason="a turn came without usage; tracking returns after the next boundary"
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
          <span className="block">
            <SessionWhy session={session} figure="used" name="in use" className="num">
              {sign}
              {formatTokens(used)}
            </SessionWhy>
          </span>
          <span className="block text-ink2">
            of{' '}
            <SessionWhy session={session} figure="limit" name="limit" className="num">
              {formatTokens(limit)}
            </SessionWhy>
          </span>
        </p>
      </div>
      <p className="mt-[5px] text-small text-ink2">
        <SessionWhy session={session} figure={session.lens} name="">
          {session.lens} lens
        </SessionWhy>
        {notes.map((note) => `, ${note}`)}
      </p>
    </>
  );
}
