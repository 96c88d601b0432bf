'use client';
import type { LiveStatus } from '@/core/live/live-status';
import { describeFilters } from '../fleet/describe-filters';
import type { FleetQuery } from '../fleet/fleet-query';
import { COUNTED_STATES, type StateCounts } from '../fleet/prepare-counts';
import { useLostSince } from '../fleet/use-lost-since';
import { formatClock } from '../format/format-time';
import { formatExact } from '../format/format-tokens';
import { useClock } from '../live/use-clock';
import { useLiveStatus } from '../live/use-live-status';
import { useTimeZone } from '../live/use-time-zone';
import { LostArchiveGlyph } from '../ui/lost-archive-glyph';
import { StateLabel } from '../ui/state-label';
import { TroubleGlyph } from '../ui/trouble-glyph';

interface WallHeadProps {
  counts: StateCounts;
  query: FleetQuery;
  /** Sessions without a card that no cell tells of. */
  untold: number;
  leave: () => void;
}

/** The counts of what the wall shows, and whether it can be trusted at what time it is. */
export function WallHead({ counts, query, untold, leave }: WallHeadProps) {
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
        {untold === 0 ? null : (
          <span className="text-ink2">
            <span className="num">{formatExact(untold)}</span> without a card
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

/** `live 21:04`; once the connection is lost the time at which the picture stood still, on a solid ground. */
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
