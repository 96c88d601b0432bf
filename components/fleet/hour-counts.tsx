import type { FleetFacts } from '@/core/explain/explain-fleet';
import { formatPercentExact } from '../format/format-percent';
import { formatExact } from '../format/format-tokens';
import { Percent } from '../ui/percent';
import { FleetWhy } from './fleet-why';

/**
 * The last hour in one line: compactions, restarts and the share of cache reads. Where something is filtered they are
 * those of what is left; the share is known of the whole fleet alone, and then stays away.
 */
export function HourCounts({ facts, tight = false }: { facts: FleetFacts; tight?: boolean }) {
  const { hour } = facts;
  return (
    <div className="flex items-center gap-x-[16px] whitespace-nowrap max-md:gap-x-[12px] max-md:text-small">
      <span>
        <span className="text-ink2">
          {facts.filters.length === 0 ? 'last hour ' : 'of these, last hour '}
        </span>
        <FleetWhy figure="compactions" facts={facts} name="">
          <span className="num strong">{formatExact(hour.compactions)}</span>{' '}
          {hour.compactions === 1 ? 'compaction' : 'compactions'}
        </FleetWhy>
      </span>
      <FleetWhy figure="restarts" facts={facts} name="">
        <span className="num strong">{formatExact(hour.restarts)}</span>{' '}
        {hour.restarts === 1 ? 'restart' : 'restarts'}
      </FleetWhy>
      {hour.cacheReadShare === null ? null : (
        <FleetWhy
          className={tight ? 'max-[1679px]:hidden' : ''}
          figure="cache-share"
          facts={facts}
          name=""
          title={`${formatPercentExact(hour.cacheReadShare)} of the input of the last hour came from the cache. Telemetry only: it is in no pressure`}
        >
          <Percent ratio={hour.cacheReadShare} className="strong" />{' '}
          <span className="max-md:hidden xl:max-[1679px]:hidden">cache-read share</span>
          <span className="md:max-xl:hidden min-[1680px]:hidden">cache reads</span>{' '}
          <span className="text-small text-ink2 max-[1679px]:hidden">telemetry</span>
        </FleetWhy>
      )}
    </div>
  );
}
