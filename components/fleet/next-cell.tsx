import type { Session } from '@/core/api/session';
import { SessionWhy } from '../explain/session-why';
import { boundaryText } from './boundary-text';
import { PassedAgo } from './passed-ago';

/** The next boundary of a row: when, in turns and minutes; below it what happens and where. */
export function NextCell({ session }: { session: Session }) {
  const { lead, more, what, short, exact } = boundaryText(session);
  const quiet = session.liveness === 'live' && lead !== '' ? '' : 'text-ink2';
  return (
    <>
      <div className={`lead clip ${quiet}`} title={exact}>
        <SessionWhy
          session={session}
          figure={session.nextBoundary?.minutes == null ? 'turns' : 'minutes'}
          name="to the next boundary"
          inRow
        >
          {lead === '' ? null : <span className="font-medium">{lead}</span>}
          {lead !== '' && more !== '' ? ' · ' : null}
          {more}
        </SessionWhy>
        {session.nextBoundary?.passed && session.liveness === 'live' ? <PassedAgo session={session} /> : null}
      </div>
      <div className="sub clip" title={exact}>
        <span className="max-md:hidden">{what}</span>
        <span className="md:hidden">{short}</span>
      </div>
    </>
  );
}
