import Link from 'next/link';
import { memo } from 'react';
import type { Session } from '@/core/api/session';
import { AlertMark } from '../../../alerts/alert-mark';
import { useSessionAlerts } from '../../../alerts/use-open-alerts';
import { useTimeZone } from '../../../data/use-time-zone';
import { formatMinutes } from '../../../format/format-duration';
import { formatInstant } from '../../../format/format-time';
import { formatExact } from '../../../format/format-tokens';
import { isCompacting } from '../../../format/session-words';
import { sessionMeta, sessionTitle } from '../../../sessions/session-names';
import { CompactionGlyph, HeldGlyph, LostArchiveGlyph, TroubleGlyph, troubleWord } from '../../../ui/glyphs';
import { Percent } from '../../../ui/percent';
import { StateLabel } from '../../../ui/state-label';
import { ForecastCone } from '../forecast-cone';
import { PressureBar } from '../pressure-bar';
import { PassedAgo } from '../session-cells';
import { hourTrace, TraceLines } from '../trace';
import { describeRest, wallText } from './wall-text';

const CELL = 'wall-cell relative overflow-hidden border-r border-b border-hair2';
const CARD = 'wall-card flex h-full flex-col bg-paper text-ink';
const LINE = 'leading-[--spacing(var(--line))]';
const FIGURES =
  'flex min-h-[calc(var(--p)*(var(--figure)+4))] flex-none items-center gap-[--spacing(var(--gap))] whitespace-nowrap';
/** Room for two digits, so that the lines beside them align. */
const TIME = 'min-w-[--spacing(var(--time))] flex-none';
const UNIT = 'pl-6 text-[length:--spacing(var(--unit))]';
const LINES = 'min-w-0 text-[length:--spacing(24)] leading-28 [&>p]:overflow-hidden [&>p]:text-ellipsis';
const WORDS =
  'text-[length:--spacing(var(--figure)/2)] leading-[--spacing(var(--figure)*0.6)] tracking-[-0.012em] [&_svg]:mr-[0.25em] [&_svg]:inline-block [&_svg]:size-[0.8em] [&_svg]:align-[-0.06em]';

interface WallCardProps {
  session: Session;
  index: number;
  /** Right end of the trace, milliseconds. */
  now: number;
}

export const WallCard = memo(function WallCard({ session, index, now }: WallCardProps) {
  const { id, state, liveness, trouble, lastTurnAt } = session;
  const { figure, unit, lead, what, range, held, exact } = wallText(session, now);
  const zone = useTimeZone();
  const lastTurn = lastTurnAt === null ? '' : `. Last turn ${formatInstant(lastTurnAt, zone)}`;
  const quiet = liveness === 'live' ? '' : 'text-ink2';
  return (
    <li className={CELL} data-row={index} data-solid={state === 'redlined' && !quiet ? '' : undefined}>
      <div
        className={`p-[--spacing(var(--inset)/2)_--spacing(var(--inset))_--spacing(var(--below))] ${CARD}`}
        data-state={state}
      >
        <CardTop session={session} />
        <h2
          className={`flex-none truncate text-[length:--spacing(var(--title))] tracking-[-0.012em] ${LINE} ${quiet}`}
        >
          <Link
            href={`/sessions/${id}`}
            prefetch={false}
            title={`${sessionTitle(session)}: ${sessionMeta(session)}`}
            aria-describedby={trouble === null ? undefined : `trouble-wall-${id}`}
          >
            {sessionTitle(session)}
          </Link>
        </h2>
        <div className={`${FIGURES} ${quiet}`} title={exact + lastTurn}>
          {figure === '' ? null : (
            <p className={`${TIME} ${held ? 'text-ink2' : ''}`}>
              <span className="wall-figure">{figure}</span>
              {unit === '' ? null : <span className={UNIT}>{unit}</span>}
            </p>
          )}
          <div className={LINES}>
            <p className={figure === '' ? WORDS : 'font-medium [&_svg]:size-18'}>
              {isCompacting(session) ? <CompactionGlyph size={24} /> : null}
              {held ? <HeldGlyph size={16} /> : null}
              {lead}
              {figure.startsWith('+') ? <PassedAgo session={session} /> : null}
            </p>
            <p>{what}</p>
            {range === '' ? null : <p className={figure.startsWith('+') ? '' : 'text-ink2'}>{range}</p>}
          </div>
        </div>
        <WallTrace session={session} now={now} />
        <div className="mt-auto flex-none [&_svg]:h-[--spacing(var(--bar-height))]!">
          <PressureBar session={session} />
        </div>
      </div>
    </li>
  );
});

function CardTop({ session }: { session: Session }) {
  const { id, state, pressure, trouble, archiveFailure, complete, estimated } = session;
  const alerts = useSessionAlerts(id);
  const isRead = pressure !== null && state !== 'untracked' && state !== 'unknown';
  return (
    <div
      className={`flex flex-none items-center gap-12 text-[length:--spacing(var(--word))] ${LINE} [&_[data-state]]:gap-10 [&_svg]:size-24`}
    >
      <StateLabel state={state} solid={false} />
      <AlertMark alerts={alerts} />
      {trouble === null ? null : (
        <span className="inline-flex items-center gap-9 whitespace-nowrap">
          <TroubleGlyph kind={trouble.kind} />
          {troubleWord(trouble.kind)}
          <span id={`trouble-wall-${id}`} className="sr-only">
            {trouble.sentence}
          </span>
        </span>
      )}
      {archiveFailure === null ? null : (
        <span
          className="inline-flex min-w-0 items-center truncate text-[0.72em]"
          title={archiveFailure.reason ?? ''}
        >
          <LostArchiveGlyph />
          archive failed
        </span>
      )}
      {isRead ? (
        <Percent ratio={pressure} atLeast={!complete} estimated={estimated} className="ml-auto" />
      ) : null}
    </div>
  );
}

/** Size of the drawing before it is stretched to the card. It shows the last hour and 15 minutes of forecast. */
const TRACE = { width: 424, height: 70 };
const NOW_X = TRACE.width * 0.8;

const WallTrace = memo(function WallTrace({ session, now }: { session: Session; now: number }) {
  const { width, height } = TRACE;
  const { boundaryY, ...trace } = hourTrace(session, now, NOW_X, height);
  const hair = 'max(1px, var(--p))';
  const thick = 'calc(2.5 * var(--p))';
  return (
    <svg
      data-state={session.state}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      fill="none"
      className="mt-4 block min-h-0 w-full flex-1"
      aria-hidden="true"
    >
      {[height, boundaryY].map((y, index) =>
        y === null ? null : (
          <path
            key={index === 0 ? 'foot' : 'boundary'}
            d={`M0 ${y}H${width}`}
            stroke={index === 0 ? 'var(--hair)' : 'var(--ink3)'}
            style={{ strokeWidth: hair }}
            vectorEffect="non-scaling-stroke"
          />
        ),
      )}
      <TraceLines
        trace={trace}
        line={thick}
        dashed={thick}
        liveEnd="calc(5 * var(--p))"
        fall={hair}
        scale={2}
      />
      <ForecastCone
        session={session}
        nowX={NOW_X}
        right={width}
        perMinute={NOW_X / 60}
        height={height}
        line={thick}
      />
    </svg>
  );
});

interface WallRestProps {
  rest: readonly Session[];
  missing: number;
  now: number;
}

export function WallRest({ rest, missing, now }: WallRestProps) {
  const { firstMinutes, paused, states } = describeRest(rest, now);
  return (
    <li className={CELL}>
      <div
        className={`wall-rest justify-center px-[--spacing(var(--inset))] text-[length:--spacing(24)] ${LINE} ${CARD}`}
      >
        <div className={FIGURES}>
          <p className={TIME}>
            <span className="wall-figure">{formatExact(rest.length + missing)}</span>
            <span className={UNIT}>more</span>
          </p>
          <div className={LINES}>
            <p className="font-medium">{firstMinutes === null ? 'without' : 'next in'}</p>
            <p>{firstMinutes === null ? 'countdown' : formatMinutes(firstMinutes)}</p>
            <p className="text-ink2">{paused === 0 ? null : `${formatExact(paused)} paused`}</p>
          </div>
        </div>
        <p className="flex flex-wrap gap-x-18 text-[length:--spacing(22)] leading-28 [&_[data-state]]:gap-10 [&_svg]:size-20">
          {states.map(({ state, count }) => (
            <span key={state} className="inline-flex gap-8 whitespace-nowrap">
              <StateLabel state={state} solid={false} />
              <span className="num">{formatExact(count)}</span>
            </span>
          ))}
        </p>
      </div>
    </li>
  );
}
