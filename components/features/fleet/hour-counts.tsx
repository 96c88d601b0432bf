import { useMemo } from 'react';
import type { FleetFacts, FleetFigure } from '@/core/explain/explain-fleet';
import { Why } from '../../explain/why';
import { formatPercentExact } from '../../format/format-percent';
import { formatExact } from '../../format/format-tokens';
import { Percent } from '../../ui/percent';

interface FleetWhyProps {
  figure: FleetFigure;
  facts: FleetFacts;
  name: string;
  title?: string;
  className?: string;
  children: React.ReactNode;
}

/** A number of the whole fleet that answers "why?". */
export function FleetWhy({ figure, facts, ...rest }: FleetWhyProps) {
  const question = useMemo(() => ({ about: 'fleet', figure, facts }) as const, [figure, facts]);
  return <Why of={question} {...rest} />;
}

/** Compactions, restarts and cache reads of the last hour. The cache share is known of the whole fleet only. */
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
          title={`${formatPercentExact(hour.cacheReadShare)} of the input of the last hour came from the cache. Telemetry only, not part of the pressure`}
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
