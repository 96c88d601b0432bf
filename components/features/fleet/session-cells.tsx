import type { Session } from '@/core/api/session';
import { AlertMark } from '../../alerts/alert-mark';
import { useSessionAlerts } from '../../alerts/use-open-alerts';
import { SessionWhy } from '../../explain/session-why';
import { formatExact, formatTokens } from '../../format/format-tokens';
import { isCompacting, limitSign, limitSourceWords } from '../../format/session-words';
import { Ago } from '../../ui/ago';
import { CompactionGlyph, HeldGlyph, LostArchiveGlyph, TroubleGlyph, troubleWord } from '../../ui/glyphs';
import { boundaryText } from './boundary-text';

interface MarksProps {
  session: Session;
  /** Part of the element ids of the explanations. */
  place: 'next' | 'row';
  /** Class of the word beside the trouble glyph; absent: no word. */
  word?: string;
  note?: string;
}

export function marksId({ id, trouble, archiveFailure }: Session, place: string): string | undefined {
  const ids = [trouble && `trouble-${place}-${id}`, archiveFailure && `archive-${place}-${id}`];
  return ids.filter(Boolean).join(' ') || undefined;
}

/** The marks of trouble and of a failed archive, with the reason on hover or focus. */
export function Marks({ session, place, word, note = '' }: MarksProps) {
  const { id, trouble, archiveFailure } = session;
  const alerts = useSessionAlerts(id);
  const inRow = place === 'row';
  const mark = 'trouble flex shrink-0 items-center gap-[6px]';
  const noteLook = `trouble-note absolute top-[calc(100%-4px)] hidden w-max max-w-[min(460px,60vw)] border border-hair2 bg-raised px-[8px] py-[4px] text-small whitespace-normal ${note}`;
  const failure = archiveFailure?.reason ?? 'no reason given';
  return (
    <>
      {alerts.length === 0 ? null : (
        <span className="flex shrink-0 items-center text-small">
          <AlertMark alerts={alerts} />
        </span>
      )}
      {trouble === null ? null : (
        <span className={mark}>
          <TroubleGlyph kind={trouble.kind} />
          {word === undefined ? null : (
            <span className={`trouble-word text-small whitespace-nowrap ${word}`} aria-hidden="true">
              {troubleWord(trouble.kind)}
            </span>
          )}
          <span id={`trouble-${place}-${id}`} className="sr-only">
            {troubleWord(trouble.kind)}: {trouble.sentence}
          </span>
          <span className={noteLook} aria-hidden="true">
            <b>{troubleWord(trouble.kind)}</b> {trouble.sentence}
          </span>
        </span>
      )}
      {archiveFailure === null ? null : (
        <span className={mark}>
          <a
            href={`/transcripts?session=${id}&state=failed`}
            className="inline-flex items-center gap-[5px] text-small whitespace-nowrap hover:underline hover:underline-offset-3"
            aria-describedby={`archive-${place}-${id}`}
            {...(inRow ? { tabIndex: -1 } : {})}
          >
            <LostArchiveGlyph />
            <span className={inRow ? 'max-md:sr-only' : ''}>archive failed</span>
          </a>
          <span id={`archive-${place}-${id}`} className="sr-only">
            {failure}
          </span>
          <span className={noteLook} aria-hidden="true">
            <b>Archive failed</b> <Ago at={archiveFailure.at} inRow={inRow} /> ago: {failure}. The transcript
            before the compaction is lost.
          </span>
        </span>
      )}
    </>
  );
}

/** `, 6 min ago`: the time since the limit was passed, if that is the last event. */
export function PassedAgo({ session: { lastEvent, nextBoundary } }: { session: Session }) {
  if (!nextBoundary?.passed || lastEvent?.kind !== 'redlined') return null;
  return (
    <span className="max-md:in-[.session-row]:hidden">
      , <Ago at={lastEvent.at} className="of-text" inRow /> ago
    </span>
  );
}

/** `182 k / 200 k`: ≥ for a lower bound, ≈ for an estimate and for an assumed limit. */
export function UsedOfLimit({ session }: { session: Session }) {
  const { used, limit, limitSource, complete, estimated, state, lastKnownUsed } = session;
  const sign = complete ? (estimated ? '≈' : '') : '≥';
  const isKnown = used !== null && state !== 'untracked';
  const last = lastKnownUsed === null ? '' : `, last known ${formatExact(lastKnownUsed)}`;
  const now = isKnown
    ? `${sign}${formatExact(used)}${estimated ? ' (estimated)' : ''}`
    : `Tokens in use are unknown${last}`;
  const of =
    limit === null ? 'no limit known' : `limit ${formatExact(limit)}, ${limitSourceWords(limitSource)}`;
  return (
    <SessionWhy session={session} figure="used" name="in use" title={`${now}; ${of}`} className="num" inRow>
      {isKnown ? `${sign}${formatTokens(used)}` : <span className="text-ink2">–</span>}
      {limit === null ? null : (
        <span className="text-ink2">
          {' / '}
          {`${limitSign(limitSource)}${formatTokens(limit)}`}
        </span>
      )}
    </SessionWhy>
  );
}

export function NextCell({ session, now }: { session: Session; now: number }) {
  const { lead, more, what, short, exact, held } = boundaryText(session, now);
  const { nextBoundary, compacting, liveness } = session;
  const lines = (first: React.ReactNode, second: React.ReactNode, quiet = '') => (
    <>
      <div className={`clip max-md:max-w-[56%] max-md:text-right ${quiet}`} title={exact}>
        {first}
      </div>
      <div className="sub clip max-md:order-4 max-md:w-[88px] max-md:text-right" title={exact}>
        {second}
      </div>
    </>
  );
  if (compacting !== null && isCompacting(session)) {
    return lines(
      <span className="inline-flex items-center gap-[6px] font-medium">
        <CompactionGlyph />
        {lead}
      </span>,
      <>
        <span className="max-md:hidden">{what}, </span>
        <Ago at={compacting.at} inRow /> ago
      </>,
    );
  }
  return lines(
    <>
      <SessionWhy
        session={session}
        figure={nextBoundary?.minutes == null ? 'turns' : 'minutes'}
        name="to the next boundary"
        inRow
      >
        {held === null ? null : <HeldGlyph />}
        {lead === '' ? null : <span className={held === null ? 'font-medium' : ''}>{lead}</span>}
        {lead !== '' && more !== '' ? ' · ' : null}
        {more}
      </SessionWhy>
      {liveness === 'live' ? <PassedAgo session={session} /> : null}
    </>,
    held === null ? (
      <>
        <span className="max-md:hidden">{what}</span>
        <span className="md:hidden">{short}</span>
      </>
    ) : (
      <>
        {held}
        <span className="max-md:hidden">, {short}</span>
      </>
    ),
    liveness === 'live' && lead !== '' && held === null ? '' : 'text-ink2',
  );
}
