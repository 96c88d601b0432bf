import { useMemo } from 'react';
import type { Liveness } from '@/core/api/session';
import type { FleetFacts, FleetFigure } from '@/core/explain/explain-fleet';
import { Why } from '../../explain/why';
import { formatPercentExact } from '../../format/format-percent';
import { formatExact } from '../../format/format-tokens';
import { COUNTED_STATES, type StateCounts } from '../../sessions/filter-sessions';
import type { FleetQuery } from '../../sessions/fleet-query';
import { FilterSwitch } from '../../ui/filter-bar';
import { InfoGlyph, LostArchiveGlyph, TroubleGlyph } from '../../ui/glyphs';
import { Percent } from '../../ui/percent';
import { STATE_WORD, StateLabel } from '../../ui/state-label';

const LIVENESS_TITLE: Record<Liveness, string> = {
  live: 'Activity in the last 10 minutes',
  idle: 'No recent activity, or imported',
  ended: 'Ended by its runner or client',
};

interface CountsLineProps {
  counts: StateCounts;
  /** Sessions idle for more than a day. */
  older: number;
  query: FleetQuery;
  change: (part: Partial<FleetQuery>) => void;
  facts: FleetFacts;
}

export function CountsLine({ counts, older, query, change, facts }: CountsLineProps) {
  const livenesses = (['live', 'idle', 'ended'] as const).filter(
    (name) => name !== 'ended' || counts.liveness.ended > 0 || query.liveness.includes('ended'),
  );
  return (
    // Positioned relatively, so that text for screen readers does not widen the page.
    <div className="relative flex h-[40px] items-center gap-x-[18px] xl:max-[1679px]:gap-x-[15px] lg:overflow-x-auto lg:overflow-y-hidden [scrollbar-width:none] max-lg:h-auto max-lg:min-h-[40px] max-lg:flex-wrap max-lg:gap-x-[14px] max-lg:py-[4px] max-md:contents max-md:[&_.state-word]:sr-only">
      <fieldset className="contents">
        <legend className="sr-only">Show only</legend>
        {livenesses.map((name) => {
          const isLive = name === 'live';
          return (
            <FilterSwitch
              key={name}
              isOn={query.liveness.includes(name)}
              label={`${counts.liveness[name]} ${name}`}
              title={LIVENESS_TITLE[name]}
              toggle={() => change({ liveness: toggled(query.liveness, name) })}
              isQuiet={!isLive}
              className={isLive ? 'lg:-mr-[8px]' : 'lg:not-last-of-type:-mr-[8px] max-lg:order-3'}
            >
              <span className={isLive ? 'num strong' : 'num'}>{formatExact(counts.liveness[name])}</span>{' '}
              {name}
            </FilterSwitch>
          );
        })}
      </fieldset>
      <fieldset className="order-2 flex items-center gap-x-[15px] max-lg:contents xl:max-[1679px]:gap-x-[12px]">
        <legend className="sr-only">Show only the state</legend>
        {COUNTED_STATES.map((state) => {
          const count = counts.states[state];
          const isEmpty = count === 0 && !query.states.includes(state);
          const isUnread = state === 'unknown' || state === 'untracked';
          const hidden = isUnread ? 'max-xl:hidden' : 'max-lg:hidden';
          // On a phone, the line has no room for states without a pressure.
          const narrow = isUnread && !query.states.includes(state) ? 'max-md:hidden' : '';
          return (
            <FilterSwitch
              key={state}
              isOn={query.states.includes(state)}
              label={`${count} ${STATE_WORD[state]}`}
              toggle={() => change({ states: toggled(query.states, state) })}
              className={`max-lg:order-2 ${isEmpty ? hidden : narrow}`}
              isQuiet={isEmpty}
            >
              {/* Only states that have sessions are coloured. */}
              <span
                className={`inline-flex items-center gap-[7px] ${count === 0 ? '[&_[data-state]]:text-inherit' : ''}`}
              >
                <StateLabel state={state} solid={counts.liveOverLimit > 0} />
                <span className="num strong">{formatExact(count)}</span>
              </span>
            </FilterSwitch>
          );
        })}
      </fieldset>
      {counts.inTrouble === 0 && !query.trouble ? null : (
        <FilterSwitch
          isOn={query.trouble}
          label={`${counts.inTrouble} with anomalies`}
          toggle={() => change({ trouble: !query.trouble })}
          className="order-2"
          isQuiet={false}
        >
          <span className="inline-flex items-center gap-[6px]">
            <TroubleGlyph kind="thrash" />
            <span className="state-word">anomalies</span>{' '}
            <span className="num strong">{formatExact(counts.inTrouble)}</span>
          </span>
        </FilterSwitch>
      )}
      {counts.archiveFailed === 0 && !query.archiveFailed ? null : (
        <FilterSwitch
          isOn={query.archiveFailed}
          label={`${counts.archiveFailed} with a failed archive`}
          toggle={() => change({ archiveFailed: !query.archiveFailed })}
          className="order-2"
          isQuiet={false}
        >
          <span className="inline-flex items-center gap-[6px]">
            <LostArchiveGlyph />
            <span className="state-word">archive failed</span>{' '}
            <span className="num strong">{formatExact(counts.archiveFailed)}</span>
          </span>
        </FilterSwitch>
      )}
      {older === 0 ? null : (
        <FilterSwitch
          isOn={query.older}
          label={`${older} older`}
          title="Idle for more than 24 hours"
          toggle={() => change({ older: !query.older })}
          isQuiet
          className="order-3"
        >
          <span className="num">{formatExact(older)}</span> older
        </FilterSwitch>
      )}
      <FleetWhy
        figure="counts"
        facts={facts}
        name="these counts"
        title="How these are counted"
        className="order-3 text-ink2"
      >
        <InfoGlyph />
      </FleetWhy>
      <div className="order-4 ml-auto max-xl:hidden">
        <HourCounts facts={facts} tight={counts.inTrouble > 0 && counts.archiveFailed > 0} />
      </div>
    </div>
  );
}

function toggled<T>(list: readonly T[], name: T): T[] {
  return list.includes(name) ? list.filter((other) => other !== name) : [...list, name];
}

interface FleetWhyProps {
  figure: FleetFigure;
  facts: FleetFacts;
  name?: string;
  title?: string;
  className?: string;
  children: React.ReactNode;
}

function FleetWhy({ figure, facts, name = '', ...rest }: FleetWhyProps) {
  const question = useMemo(() => ({ about: 'fleet', figure, facts }) as const, [figure, facts]);
  return <Why of={question} name={name} {...rest} />;
}

/** Compactions, restarts and cache reads of the last hour. A filtered fleet has no cache share. */
export function HourCounts({ facts, tight = false }: { facts: FleetFacts; tight?: boolean }) {
  const { hour, filters } = facts;
  return (
    <div className="flex items-center gap-x-[16px] whitespace-nowrap max-md:gap-x-[12px] max-md:text-small">
      <span>
        <span className="text-ink2">{filters.length === 0 ? 'last hour ' : 'of these, last hour '}</span>
        <FleetWhy figure="compactions" facts={facts}>
          <span className="num strong">{formatExact(hour.compactions)}</span>{' '}
          {hour.compactions === 1 ? 'compaction' : 'compactions'}
        </FleetWhy>
      </span>
      <FleetWhy figure="restarts" facts={facts}>
        <span className="num strong">{formatExact(hour.restarts)}</span>{' '}
        {hour.restarts === 1 ? 'restart' : 'restarts'}
      </FleetWhy>
      {hour.cacheReadShare === null ? null : (
        <FleetWhy
          className={tight ? 'max-[1679px]:hidden' : ''}
          figure="cache-share"
          facts={facts}
          title={`${formatPercentExact(hour.cacheReadShare)} of the input of the last hour was read from the cache. Telemetry only, not in pressure`}
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
