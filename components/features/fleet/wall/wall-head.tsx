'use client';
import { memo, useMemo, useRef } from 'react';
import { commonBounds } from '@/core/accounting/thresholds';
import type { Session } from '@/core/api/session';
import { AlertGlyph } from '../../../alerts/alert-mark';
import { useClock } from '../../../data/use-clock';
import { useLiveStatus, useLostSince } from '../../../data/use-live-status';
import { useTimeZone } from '../../../data/use-time-zone';
import { formatClock } from '../../../format/format-time';
import { formatExact } from '../../../format/format-tokens';
import { COUNTED_STATES, type StateCounts } from '../../../sessions/filter-sessions';
import type { FleetQuery } from '../../../sessions/fleet-query';
import { LostArchiveGlyph, TroubleGlyph } from '../../../ui/glyphs';
import { StateLabel } from '../../../ui/state-label';
import { useMeasuredWidth } from '../../../ui/use-measured-width';
import { AxisBreak, BarcodeLabels, BarcodePlot } from '../barcode-plot';
import { describeFilters } from '../filter-line';
import { prepareBarcode } from '../prepare-barcode';

/** Text sizes on a large screen, a medium screen and a phone. */
const HEAD =
  'text-[length:--spacing(26)] leading-36 wall-mid:text-[length:--spacing(20)] wall-mid:leading-30 max-md:text-[17px] max-md:leading-[26px] [&_svg]:size-24 wall-mid:[&_svg]:size-20 max-md:[&_svg]:size-[16px]';
const COUNTS = 'flex flex-wrap gap-x-24 wall-mid:gap-x-16 max-md:gap-x-18';
const COUNT = 'inline-flex gap-12 whitespace-nowrap wall-mid:gap-8 [&_[data-state]]:gap-10';
/** A live session over its limit inverts its count, like its card. */
const CHIP =
  'rounded-control bg-state px-12 -my-2 py-2 text-paper max-md:my-0 max-md:py-0 [&_[data-state]]:text-paper';
const MARK = 'inline-flex items-center gap-10';
export const LEAVE =
  'underline decoration-hair2 decoration-[max(1px,--spacing(1.5))] underline-offset-[0.25em] hover:decoration-current';

interface WallHeadProps {
  counts: StateCounts;
  query: FleetQuery;
  /** Number of firing alerts. */
  alerts: number;
  hiddenCount: number;
  leave: () => void;
}

export function WallHead({ counts, query, alerts, hiddenCount, leave }: WallHeadProps) {
  const { liveness, states, inTrouble, archiveFailed } = counts;
  const filters = describeFilters(query).join(', ');
  const strong = (count: number) => <span className="num strong">{formatExact(count)}</span>;
  const quiet = (count: number, word: string) =>
    count === 0 ? null : (
      <span className="text-ink2">
        <span className="num">{formatExact(count)}</span> {word}
      </span>
    );
  return (
    <header
      className={`flex flex-none items-start justify-between gap-x-40 gap-y-12 wall-mid:gap-x-24 wall-mid:gap-y-8 max-md:flex-wrap ${HEAD}`}
    >
      <p className={`wall-counts max-md:order-2 max-md:basis-full ${COUNTS}`}>
        {filters === '' ? null : <span>{filters}</span>}
        <span>{strong(liveness.live)} live</span>
        {quiet(liveness.idle, 'idle')}
        {COUNTED_STATES.filter((state) => states[state] > 0).map((state) => (
          <span
            key={state}
            className={`${COUNT} ${state === 'redlined' && counts.liveOverLimit > 0 ? CHIP : ''}`}
            data-state={state}
          >
            <StateLabel state={state} solid={false} />
            {strong(states[state])}
          </span>
        ))}
        {alerts + inTrouble + archiveFailed === 0 ? null : (
          <span className={COUNTS}>
            {alerts === 0 ? null : (
              <span className={COUNT}>
                <span className={MARK}>
                  <AlertGlyph />
                  {alerts === 1 ? 'alert' : 'alerts'}
                </span>
                {strong(alerts)}
              </span>
            )}
            {inTrouble === 0 ? null : (
              <span className={COUNT}>
                <span className={MARK}>
                  <TroubleGlyph kind="thrash" />
                  need attention
                </span>
                {strong(inTrouble)}
              </span>
            )}
            {archiveFailed === 0 ? null : (
              <span className={COUNT}>
                <span className={MARK}>
                  <LostArchiveGlyph />
                  archive failed
                </span>
                {strong(archiveFailed)}
              </span>
            )}
          </span>
        )}
        {quiet(hiddenCount, 'without a card')}
      </p>
      <p className="flex flex-none gap-28 whitespace-nowrap max-md:flex-1 max-md:justify-between">
        <Standing />
        <button type="button" className={LEAVE} onClick={leave} aria-keyshortcuts="w">
          list
        </button>
      </p>
    </header>
  );
}

/** `live 21:04`, or the time when the connection was lost, inverted. */
function Standing() {
  const { status } = useLiveStatus();
  const zone = useTimeZone();
  const now = useClock((at) => formatClock(at, zone));
  const lost = useLostSince();
  return (
    <span className={lost === null ? '' : 'bg-ink px-12 text-paper'}>
      <span role="status">{status === 'stale' ? 'stale since' : status}</span>{' '}
      <span className="num strong">{lost ?? now}</span>
    </span>
  );
}

export const WallBarcode = memo(function WallBarcode({ sessions }: { sessions: readonly Session[] }) {
  const plot = useRef<HTMLDivElement>(null);
  const width = useMeasuredWidth(plot, 1872);
  const code = useMemo(
    () => prepareBarcode({ sessions, matching: null, next: [], width }),
    [sessions, width],
  );
  const { bounds } = useMemo(() => commonBounds(sessions), [sessions]);
  return (
    <div className="wall-barcode relative mt-16 flex-none" aria-hidden="true">
      <div ref={plot} className="h-44 [&_path]:[stroke-width:--spacing(4)] [&_svg]:block">
        <svg
          width="100%"
          height="100%"
          viewBox={`0 0 ${width} 44`}
          preserveAspectRatio="none"
          overflow="visible"
          aria-hidden="true"
        >
          <BarcodePlot bounds={bounds} code={code} width={width} />
        </svg>
      </div>
      {code.beyond ? (
        // The break is enlarged from 16 × 10 pixels. Unlike the plot, the break is not stretched.
        <svg
          className="absolute top-36 right-[--spacing(4.8)] h-16 w-[--spacing(25.6)]"
          viewBox="-19 -5 16 10"
          aria-hidden="true"
        >
          <AxisBreak y={0} />
        </svg>
      ) : null}
      <BarcodeLabels bounds={bounds} />
    </div>
  );
});
