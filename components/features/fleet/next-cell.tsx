import type { Session } from '@/core/api/session';
import { SessionWhy } from '../../explain/session-why';
import { isCompacting } from '../../format/compacting';
import { Ago } from '../../ui/ago';
import { CompactionGlyph, HeldGlyph } from '../../ui/glyphs';
import { boundaryText } from './boundary-text';
import { PassedAgo } from './session-marks';

/** The next boundary of a row: when, in turns and minutes; below it what happens and where. */
export function NextCell({ session, now }: { session: Session; now: number }) {
  const { lead, more, what, short, exact, held } = boundaryText(session, now);
  if (session.compacting !== null && isCompacting(session)) {
    return (
      <>
        <div className="lead clip" title={exact}>
          <span className="inline-flex items-center gap-[6px] font-medium">
            <CompactionGlyph />
            {lead}
          </span>
        </div>
        <div className="sub clip" title={exact}>
          <span className="max-md:hidden">{what}, </span>
          <Ago at={session.compacting.at} inRow /> ago
        </div>
      </>
    );
  }
  const quiet = session.liveness === 'live' && lead !== '' && held === null ? '' : 'text-ink2';
  return (
    <>
      <div className={`lead clip ${quiet}`} title={exact}>
        <SessionWhy
          session={session}
          figure={session.nextBoundary?.minutes == null ? 'turns' : 'minutes'}
          name="to the next boundary"
          inRow
        >
          {held === null ? null : <HeldGlyph />}
          {lead === '' ? null : <span className={held === null ? 'font-medium' : ''}>{lead}</span>}
          {lead !== '' && more !== '' ? ' · ' : null}
          {more}
        </SessionWhy>
        {session.nextBoundary?.passed && session.liveness === 'live' ? <PassedAgo session={session} /> : null}
      </div>
      <div className="sub clip" title={exact}>
        {held === null ? (
          <>
            <span className="max-md:hidden">{what}</span>
            <span className="md:hidden">{short}</span>
          </>
        ) : (
          <>
            {held}
            <span className="max-md:hidden">, {short}</span>
          </>
        )}
      </div>
    </>
  );
}
