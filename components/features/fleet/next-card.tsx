import Link from 'next/link';
import { memo } from 'react';
import type { Compacting, NextBoundary, Session } from '@/core/api/session';
import { useTimeZone } from '../../data/use-time-zone';
import { SessionWhy } from '../../explain/session-why';
import { Announced, MinutesRange, TurnsRange, WhoCompacts } from '../../forecast/forecast-words';
import { boundarySource, boundaryTitle, boundaryWord, passedLineWords } from '../../format/boundary-words';
import { forecastSentence, turnsUnit } from '../../format/forecast-words';
import { splitMinutes } from '../../format/format-duration';
import { formatInstant } from '../../format/format-time';
import { formatExact, formatTokens } from '../../format/format-tokens';
import { HELD_SENTENCE, isCompacting, silenceMs, silenceWords } from '../../format/session-words';
import { sessionMeta, sessionTitle } from '../../sessions/session-names';
import { CompactionGlyph, HeldGlyph } from '../../ui/glyphs';
import { Percent } from '../../ui/percent';
import { StateLabel } from '../../ui/state-label';
import { MiniChart } from './mini-chart';
import { Marks, marksId } from './session-cells';

/** Below 1100 px the first card fills a row. The other two are shorter and share a row. */
const CARD =
  'next-card grid h-[calc(190px*var(--ui))] grid-cols-[minmax(min-content,max-content)_minmax(110px,1fr)] grid-rows-[calc(24px*var(--ui))_calc(16px*var(--ui))_auto] content-start gap-x-[14px] px-[22px] pt-[2px] max-[1100px]:h-auto max-[1100px]:px-0';
const FIRST =
  'pl-0 max-[1100px]:col-span-full max-[1100px]:pb-[10px] max-md:grid-cols-[minmax(0,1fr)_auto] max-md:grid-rows-[26px_20px_auto_96px]';
const SHORT =
  'border-l border-hair max-[1100px]:grid-cols-1 max-[1100px]:grid-rows-[22px_auto] max-[1100px]:border-t max-[1100px]:pt-[8px] max-md:grid-rows-[40px_auto]';
const SECOND = 'max-[1100px]:border-l-0 max-[1100px]:pr-[12px]';
const THIRD = 'pr-0 max-[1100px]:pl-[12px]';

interface NextCardProps {
  session: Session;
  rank: number;
  now: number;
  nowLabel: string;
}

export const NextCard = memo(function NextCard({ session, rank, now, nowLabel }: NextCardProps) {
  const { nextBoundary: next, compacting } = session;
  let words: React.ReactNode = null;
  let brief: React.ReactNode = null;
  if (compacting !== null && isCompacting(session)) {
    words = <CompactingWords session={session} compacting={compacting} />;
    brief = <BriefCompacting compacting={compacting} />;
  } else if (next?.minutes != null) {
    words = <CountedWords session={session} next={next} minutesLeft={next.minutes} now={now} />;
    brief = <BriefWords session={session} next={next} minutesLeft={next.minutes} now={now} />;
  }
  const isFirst = rank === 1;
  const long = isFirst ? '' : 'max-[1100px]:hidden';
  return (
    <li className={`${CARD} ${isFirst ? FIRST : `${SHORT} ${rank === 2 ? SECOND : THIRD}`}`}>
      <div className="relative col-span-full flex min-w-0 items-center gap-[7px] max-md:items-baseline">
        <span className="num strong w-[9px] shrink-0">{rank}</span>
        <h3
          className={`min-w-0 flex-1 text-title ${isFirst ? 'truncate' : 'max-[1100px]:text-body md:truncate max-md:line-clamp-2'}`}
        >
          <Link
            href={`/sessions/${session.id}`}
            prefetch={false}
            title={sessionTitle(session)}
            className="hover:underline hover:decoration-1 hover:underline-offset-4"
            aria-describedby={marksId(session, 'next')}
          >
            {sessionTitle(session)}
          </Link>
        </h3>
        <Marks
          session={session}
          place="next"
          word={long}
          note="top-[24px] right-0 left-[16px] z-10 w-auto max-w-none"
        />
        <Standing session={session} className={`flex ${isFirst ? 'max-md:hidden' : long}`} />
      </div>
      <div
        className={`col-span-full truncate pl-[16px] text-small text-ink2 ${isFirst ? 'max-md:col-span-1 max-md:pl-0' : long}`}
      >
        {sessionMeta(session)}
      </div>
      {isFirst ? <Standing session={session} className="hidden max-md:flex" /> : null}
      <div
        className={`of-text pt-[16px] pl-[16px] min-[1280px]:min-w-[calc(218px*var(--ui))] ${isFirst ? 'max-md:col-span-full max-md:flex max-md:items-end max-md:justify-between max-md:gap-[4px] max-md:pt-[2px] max-md:pb-[4px] max-md:pl-0' : long}`}
      >
        {words}
      </div>
      {isFirst ? null : <div className="of-text hidden pl-[16px] max-[1100px]:block">{brief}</div>}
      <div
        className={`@container h-[calc(134px*var(--ui))] pt-[6px] ${isFirst ? 'max-md:col-span-full max-md:h-[96px]' : long}`}
      >
        <MiniChart session={session} now={now} nowLabel={nowLabel} />
      </div>
    </li>
  );
});

function Standing({ session, className }: { session: Session; className: string }) {
  const { state, pressure, complete, estimated } = session;
  return (
    <div className={`items-center gap-[10px] ${className}`}>
      <StateLabel state={state} />
      {pressure === null ? null : (
        <SessionWhy session={session} figure="pressure" name="pressure">
          <Percent ratio={pressure} atLeast={!complete} estimated={estimated} />
        </SessionWhy>
      )}
    </div>
  );
}

const WHAT =
  'max-w-[calc(214px*var(--ui))] pt-[8px] max-md:min-w-0 max-md:max-w-none max-md:pt-0 max-md:pb-[4px] max-md:text-right';

interface CountedWordsProps {
  session: Session;
  next: NextBoundary;
  minutesLeft: number;
  now: number;
}

function CountedWords({ session, next, minutesLeft, now }: CountedWordsProps) {
  const { forecast, client, lastTurnAt } = session;
  const left = splitMinutes(minutesLeft);
  const { turns = null, minutes = null } = forecast ?? {};
  const silent = silenceMs(session, now);
  const zone = useTimeZone();
  const lastTurn = lastTurnAt === null ? '' : `Last turn ${formatInstant(lastTurnAt, zone)}`;
  const past = passedLineWords(session);
  const word = boundaryWord(next);
  return (
    <>
      <div className="flex items-end gap-x-[12px] max-md:flex-none max-md:gap-x-[8px] max-md:whitespace-nowrap">
        <p
          className={`whitespace-nowrap ${silent === null ? '' : 'text-ink2'}`}
          title={`${minutesLeft.toFixed(1)} active minutes; ${forecastSentence(forecast)}`}
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
      <div className={WHAT}>
        {/* Without room on a phone, the position wraps out of sight; the chart names it too. */}
        <p
          className="max-md:h-[20px] max-md:overflow-hidden"
          title={`${formatExact(next.at)} tokens, ${boundarySource(next.source)}`}
        >
          <b className="max-md:capitalize">
            <span className="max-md:hidden">{boundaryTitle(next, client).slice(0, -word.length)}</span>
            {word}
          </b>{' '}
          <span className="whitespace-nowrap">
            at <span className="num">{formatTokens(next.at)}</span>
          </span>
        </p>
        {past === null ? null : <p>{past}</p>}
        <p className="text-small text-ink2" title={`${formatExact(next.left)} tokens left`}>
          <span className="num">{formatTokens(next.left, { fine: true })}</span> left
        </p>
      </div>
    </>
  );
}

function CompactingWords({ session, compacting }: { session: Session; compacting: Compacting }) {
  const { client, used } = session;
  return (
    <>
      <p className="flex h-[44px] items-center gap-[8px] text-title whitespace-nowrap">
        <CompactionGlyph size={20} />
        compacting now
      </p>
      <div className={WHAT}>
        <p>
          <WhoCompacts client={client} trigger={compacting.trigger} />
        </p>
        <p className="text-small text-ink2">
          <Announced at={compacting.at} />
          {used === null ? null : ' at '}
          {used === null ? null : <span className="num">{formatTokens(used)}</span>}
        </p>
      </div>
    </>
  );
}

function BriefWords({ session, next, minutesLeft, now }: CountedWordsProps) {
  const { value, unit } = splitMinutes(minutesLeft);
  const turns = session.forecast?.turns?.mid;
  const silent = silenceMs(session, now);
  return (
    <>
      <p className="max-md:truncate">
        <SessionWhy session={session} figure="minutes" name="to the next boundary">
          <b>
            {value} {unit}
          </b>
        </SessionWhy>{' '}
        <span className="max-md:hidden">
          {turns === undefined ? null : `${formatExact(turns)} ${turnsUnit(turns)}`}
        </span>
        <span className="text-small text-ink2 md:block md:truncate">
          {boundaryWord(next)} at {formatTokens(next.at)}
        </span>
      </p>
      {silent === null ? null : (
        <p className="truncate text-small">
          <HeldGlyph size={9} />
          {silenceWords(silent)}
        </p>
      )}
    </>
  );
}

function BriefCompacting({ compacting }: { compacting: Compacting }) {
  return (
    <>
      <p className="flex items-center gap-[6px] font-medium">
        <CompactionGlyph />
        compacting now
      </p>
      <p className="truncate text-small text-ink2">
        <Announced at={compacting.at} />
      </p>
    </>
  );
}
