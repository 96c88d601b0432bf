import type { PressureState } from '@/core/accounting/types';
import type { Liveness } from '@/core/api/session';
import type { FleetFacts } from '@/core/explain/explain-fleet';
import { formatExact } from '../../format/format-tokens';
import { COUNTED_STATES, type StateCounts } from '../../sessions/count-sessions';
import type { FleetQuery } from '../../sessions/fleet-query';
import { LostArchiveGlyph, TroubleGlyph } from '../../ui/glyphs';
import { STATE_WORD, StateLabel } from '../../ui/state-label';
import { FleetWhy, HourCounts } from './hour-counts';

interface CountsLineProps {
  counts: StateCounts;
  query: FleetQuery;
  change: (part: Partial<FleetQuery>) => void;
  facts: FleetFacts;
}

const LIVENESS_TITLE: Record<Liveness, string> = {
  live: 'Activity in the last 10 minutes',
  idle: 'No recent activity, or imported',
  ended: 'Ended by its runner or client',
};

/** Counts by liveness and state; each is a filter. */
export function CountsLine({ counts, query, change, facts }: CountsLineProps) {
  const toggleState = (state: PressureState) => change({ states: toggled(query.states, state) });
  const toggleLiveness = (name: Liveness) => change({ liveness: toggled(query.liveness, name) });
  const livenesses = (['live', 'idle', 'ended'] as const).filter(
    (name) => name !== 'ended' || counts.liveness.ended > 0 || query.liveness.includes('ended'),
  );
  return (
    // Positioned, so that text for screen readers scrolls with it and does not widen the page.
    <div className="relative flex h-[40px] items-center gap-x-[18px] xl:max-[1679px]:gap-x-[15px] lg:overflow-x-auto lg:overflow-y-hidden [scrollbar-width:none] max-lg:h-auto max-lg:min-h-[40px] max-lg:flex-wrap max-lg:gap-x-[14px] max-lg:py-[4px]">
      <fieldset className="contents">
        <legend className="sr-only">Show only</legend>
        {livenesses.map((name) => (
          <Toggle
            key={name}
            pressed={query.liveness.includes(name)}
            label={`${counts.liveness[name]} ${name}`}
            title={LIVENESS_TITLE[name]}
            onPress={() => toggleLiveness(name)}
            className={name === 'live' ? 'lg:-mr-[8px]' : 'lg:not-last-of-type:-mr-[8px] max-lg:order-3'}
          >
            <span className={name === 'live' ? '' : 'text-ink2'}>
              <span className={name === 'live' ? 'num strong' : 'num'}>
                {formatExact(counts.liveness[name])}
              </span>{' '}
              {name}
            </span>
          </Toggle>
        ))}
      </fieldset>
      <fieldset className="order-2 flex items-center gap-x-[15px] max-lg:contents xl:max-[1679px]:gap-x-[12px]">
        <legend className="sr-only">Show only the state</legend>
        {COUNTED_STATES.map((state) => (
          <StateToggle
            key={state}
            state={state}
            count={counts.states[state]}
            solid={counts.liveOverLimit > 0}
            pressed={query.states.includes(state)}
            onPress={() => toggleState(state)}
          />
        ))}
      </fieldset>
      {counts.inTrouble === 0 && !query.trouble ? null : (
        <Toggle
          pressed={query.trouble}
          label={`${counts.inTrouble} in trouble`}
          onPress={() => change({ trouble: !query.trouble })}
          className="order-2"
        >
          <span className="inline-flex items-center gap-[6px]">
            <TroubleGlyph kind="thrash" />
            in trouble <span className="num strong">{formatExact(counts.inTrouble)}</span>
          </span>
        </Toggle>
      )}
      {counts.archiveFailed === 0 && !query.archiveFailed ? null : (
        <Toggle
          pressed={query.archiveFailed}
          label={`${counts.archiveFailed} with a failed archive`}
          onPress={() => change({ archiveFailed: !query.archiveFailed })}
          className="order-2"
        >
          <span data-state="critical" className="inline-flex items-center gap-[6px] text-state">
            <LostArchiveGlyph />
            archive failed <span className="num strong">{formatExact(counts.archiveFailed)}</span>
          </span>
        </Toggle>
      )}
      <FleetWhy figure="counts" facts={facts} name="of these counts" className="order-3 text-small text-ink2">
        why?
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

interface StateToggleProps {
  state: PressureState;
  count: number;
  /** Whether over limit is a chip. */
  solid: boolean;
  pressed: boolean;
  onPress: () => void;
}

function StateToggle({ state, count, solid, pressed, onPress }: StateToggleProps) {
  const none = count === 0 && !pressed;
  return (
    <Toggle
      pressed={pressed}
      label={`${count} ${STATE_WORD[state]}`}
      onPress={onPress}
      className={`max-lg:order-2 ${hiddenWhereNone(state, none)}`}
    >
      <span className={`inline-flex items-center gap-[7px] ${none ? 'text-ink2' : ''}`}>
        <StateLabel state={state} solid={solid} />
        <span className="num strong">{formatExact(count)}</span>
      </span>
    </Toggle>
  );
}

/** Empty states are hidden on narrow screens. */
function hiddenWhereNone(state: PressureState, none: boolean): string {
  if (!none) return '';
  return state === 'unknown' || state === 'untracked' ? 'max-xl:hidden' : 'max-lg:hidden';
}

interface ToggleProps {
  pressed: boolean;
  label: string;
  title?: string;
  onPress: () => void;
  className?: string;
  children: React.ReactNode;
}

function Toggle({ pressed, label, title, onPress, className = '', children }: ToggleProps) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      aria-label={label}
      title={title}
      className={`h-[28px] border-y-[1.5px] border-t-transparent whitespace-nowrap ${pressed ? 'border-b-ink' : 'border-b-transparent hover:border-b-hair2'} ${className}`}
      onClick={onPress}
    >
      {children}
    </button>
  );
}
