import type { Compacting, NextBoundary, Session } from '@/core/api/session';
import { useTimeZone } from '../../data/use-time-zone';
import { SessionWhy } from '../../explain/session-why';
import { Announced, WhoCompacts } from '../../forecast/compacting-words';
import { MinutesRange, TurnsRange } from '../../forecast/range-words';
import { boundarySource, boundaryTitle, boundaryWord, clientName } from '../../format/boundary-words';
import { forecastSentence, turnsUnit } from '../../format/forecast-words';
import { formatMinutes, splitMinutes } from '../../format/format-duration';
import { formatInstant } from '../../format/format-time';
import { formatExact, formatTokens } from '../../format/format-tokens';
import { passedLineWords, type RealEnd, realEnd } from '../../format/line-words';
import { HELD_SENTENCE, silenceMs, silenceWords } from '../../format/silence';
import { CompactionGlyph, HeldGlyph } from '../../ui/glyphs';

interface CountedWordsProps {
  session: Session;
  next: NextBoundary;
  minutesLeft: number;
  /** The server's time, milliseconds. */
  now: number;
}

/** The countdown with its range and boundary, in full and in brief. */
export function CountedWords({ session, next, minutesLeft, now }: CountedWordsProps) {
  const { forecast, client } = session;
  const left = splitMinutes(minutesLeft);
  const { turns = null, minutes = null, tokensPerTurn = null } = forecast ?? {};
  const silent = silenceMs(session, now);
  const zone = useTimeZone();
  const { lastTurnAt } = session;
  const lastTurn = lastTurnAt === null ? '' : `Last turn ${formatInstant(Date.parse(lastTurnAt), zone)}`;
  const end = realEnd(session);
  const past = passedLineWords(session);
  return (
    <>
      <div className="words">
        <div className="flex items-end gap-x-[12px]">
          <p
            className={`whitespace-nowrap ${silent === null ? '' : 'text-ink2'}`}
            title={`${minutesLeft.toFixed(1)} minutes of work; ${forecastSentence(forecast)}`}
          >
            <SessionWhy session={session} figure="minutes" name="to the next boundary">
              <span className="display">{left.value}</span>
              <span className="pl-[4px] text-title font-normal">{left.unit}</span>
            </SessionWhy>
          </p>
          <p className="pb-[4px] text-small" title={forecastSentence(forecast)}>
            {silent !== null ? (
              <span className="block whitespace-nowrap" title={`${lastTurn}. ${HELD_SENTENCE}`}>
                <HeldGlyph size={9} />
                {silenceWords(silent)}
              </span>
            ) : minutes === null ? null : (
              <MinutesRange minutes={minutes} />
            )}
            {turns === null ? null : <TurnsRange session={session} turns={turns} />}
          </p>
        </div>
        <div className="what pt-[8px]">
          <p title={`${formatExact(next.at)} tokens, ${boundarySource(next.source)}`}>
            <b>{boundaryTitle(next, client)}</b> at <span className="num">{formatTokens(next.at)}</span>
            {end === null ? null : (
              <span title={`${formatExact(end.at)} tokens, at the pace of the last turns`}>
                {' '}
                (nothing restarts this session) · <EndWords end={end} client={client} />
              </span>
            )}
          </p>
          {past === null ? null : <p>{past}</p>}
          <p className="text-small text-ink2" title={`${formatExact(next.left)} tokens left`}>
            <span className="num">{formatTokens(next.left, { fine: true })}</span> left
            {tokensPerTurn === null ? null : (
              <span title={expectedTitle(session.tokensPerTurn)}>
                , <span className="num">{formatTokens(tokensPerTurn, { fine: true })}</span> a turn expected
              </span>
            )}
          </p>
        </div>
      </div>
      <div className="brief">
        <p>
          <SessionWhy session={session} figure="minutes" name="to the next boundary">
            <b>
              {left.value} {left.unit}
            </b>
          </SessionWhy>{' '}
          {turns === null ? null : `${formatExact(turns.mid)} ${turnsUnit(turns.mid)}`}
        </p>
        <p className="truncate text-small text-ink2">
          {boundaryWord(next)} at {formatTokens(next.at)}
        </p>
        {end === null ? null : (
          <p className="truncate text-small text-ink2">
            <EndWords end={end} client={client} />
          </p>
        )}
        {silent === null ? null : (
          <p className="truncate text-small">
            <HeldGlyph size={9} />
            {silenceWords(silent)}
          </p>
        )}
      </div>
    </>
  );
}

/** The boundary after a restart line without restarts. */
function EndWords({ end, client }: { end: RealEnd; client: string | null }) {
  return (
    <>
      {end.kind === 'limit' ? 'limit' : `${clientName(client)} compacts at`}{' '}
      <span className="num">{formatTokens(end.at)}</span>
      {end.minutes === null ? null : (
        <>
          {' '}
          in <b>{formatMinutes(end.minutes)}</b>
        </>
      )}
    </>
  );
}

/** The expected growth differs from the mean of the last turns, which the session page shows. */
function expectedTitle(tokensPerTurn: number | null): string {
  const mean = tokensPerTurn === null ? '' : `; the mean of the last turns is ${formatExact(tokensPerTurn)}`;
  return `Growth used by the forecast, weighted with the usual growth${mean}`;
}

/** In place of a countdown: the client is compacting. */
export function CompactingWords({ session, compacting }: { session: Session; compacting: Compacting }) {
  const { client, used } = session;
  return (
    <>
      <div className="words">
        <p className="flex h-[44px] items-center gap-[8px] text-title whitespace-nowrap">
          <CompactionGlyph size={20} />
          compacting now
        </p>
        <div className="what pt-[8px]">
          <p>
            <WhoCompacts client={client} trigger={compacting.trigger} />
          </p>
          <p className="text-small text-ink2">
            <Announced at={compacting.at} />
            {used === null ? null : (
              <>
                {' '}
                at <span className="num">{formatTokens(used)}</span>
              </>
            )}
          </p>
        </div>
      </div>
      <div className="brief">
        <p className="flex items-center gap-[6px] font-medium">
          <CompactionGlyph />
          compacting now
        </p>
        <p className="truncate text-small text-ink2">
          <Announced at={compacting.at} />
        </p>
      </div>
    </>
  );
}
