'use client';
import type { LiveStatus } from '@/core/live/connection-state';
import { useLostSince } from '../../../data/use-axis-time';
import { useClock } from '../../../data/use-clock';
import { useLiveStatus } from '../../../data/use-live-status';
import { useTimeZone } from '../../../data/use-time-zone';
import { formatClock } from '../../../format/format-time';
import { formatExact } from '../../../format/format-tokens';
import { COUNTED_STATES, type StateCounts } from '../../../sessions/count-sessions';
import type { FleetQuery } from '../../../sessions/fleet-query';
import { LostArchiveGlyph, TroubleGlyph } from '../../../ui/glyphs';
import { StateLabel } from '../../../ui/state-label';
import { describeFilters } from '../describe-filters';

interface WallHeadProps {
  counts: StateCounts;
  query: FleetQuery;
  /** Sessions without a card or a summarising cell. */
  hiddenCount: number;
  leave: () => void;
}

/** Counts of the wall, connection state and time. */
export function WallHead({ counts, query, hiddenCount, leave }: WallHeadProps) {
  const filters = describeFilters(query);
  return (
    <header className="wall-head">
      <p className="wall-counts">
        {filters.length === 0 ? null : <span className="wall-filters">{filters.join(', ')}</span>}
        <span>
          <span className="num strong">{formatExact(counts.liveness.live)}</span> live
        </span>
        {counts.liveness.idle === 0 ? null : (
          <span className="text-ink2">
            <span className="num">{formatExact(counts.liveness.idle)}</span> idle
          </span>
        )}
        {COUNTED_STATES.filter((state) => counts.states[state] > 0).map((state) => (
          <span key={state} className="wall-count">
            <StateLabel state={state} solid={false} />
            <span className="num strong">{formatExact(counts.states[state])}</span>
          </span>
        ))}
        {counts.inTrouble + counts.archiveFailed === 0 ? null : (
          <span className="wall-marks">
            {counts.inTrouble === 0 ? null : (
              <span className="wall-count">
                <span className="wall-trouble">
                  <TroubleGlyph kind="thrash" />
                  in trouble
                </span>
                <span className="num strong">{formatExact(counts.inTrouble)}</span>
              </span>
            )}
            {counts.archiveFailed === 0 ? null : (
              <span className="wall-count">
                <span className="wall-trouble wall-lost" data-state="critical">
                  <LostArchiveGlyph />
                  archive failed
                </span>
                <span className="num strong">{formatExact(counts.archiveFailed)}</span>
              </span>
            )}
          </span>
        )}
        {hiddenCount === 0 ? null : (
          <span className="text-ink2">
            <span className="num">{formatExact(hiddenCount)}</span> without a card
          </span>
        )}
      </p>
      <p className="wall-now">
        <Standing />
        <button type="button" className="wall-leave" onClick={leave} aria-keyshortcuts="w">
          list
        </button>
      </p>
    </header>
  );
}

const WORD: Record<LiveStatus['status'], string> = {
  connecting: 'connecting',
  live: 'live',
  reconnecting: 'reconnecting',
  stale: 'stale since',
  stopped: 'stopped',
};

/** `live 21:04`, or the time of the lost connection, inverted. */
function Standing() {
  const status = useLiveStatus();
  const zone = useTimeZone();
  const now = useClock((at) => formatClock(at, zone));
  const { status: name } = status;
  const lost = useLostSince();
  return (
    <span className="wall-standing" data-lost={lost === null ? undefined : ''}>
      <span role="status">{WORD[name]}</span> <span className="num strong">{lost ?? now}</span>
    </span>
  );
}
