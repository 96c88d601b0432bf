import type { PressureState } from '../accounting/types';
import type { Liveness } from '../identity/liveness';
import type { FleetCounts } from '../live/protocol';
import { count, counted, type Explanation, explained, say } from './explanation';
import { add, value } from './formula';

/** What the fleet's own numbers are made of: those that are no single session's. */
export interface FleetFacts {
  liveness: Record<Liveness, number>;
  states: Record<PressureState, number>;
  /** Sessions that are on this page, and of the feed, whether they have arrived or not. */
  arrived: number;
  total: number;
  /** What the counts are narrowed to, in words; empty: to nothing. */
  filters: readonly string[];
  hour: FleetCounts;
}

/** Sessions whose calls make the share of cache reads: the most recently active ones (decision 0012). */
const SHARE_SESSIONS = 1_000;

const STATES: readonly (readonly [PressureState, string])[] = [
  ['redlined', 'over limit'],
  ['critical', 'critical'],
  ['warning', 'warning'],
  ['elevated', 'elevated'],
  ['nominal', 'nominal'],
  ['unknown', 'unknown'],
  ['untracked', 'not tracked'],
];

/** How many live, idle and ended ones there are, and in which state. */
function explainCounts({ liveness, states, arrived, total, filters }: FleetFacts): Explanation {
  const parts = (['live', 'idle', 'ended'] as const).map((name) => value(name, liveness[name], 'count'));
  return explained('Sessions', 'count', {
    meaning: say`Live: activity in the last minutes, usually ten. Idle: no activity since, or imported. Ended: reported by its runner or client. A silent live session holds its countdown.`,
    formula: ['sessions', add(...parts)],
    certainty: arrived < total ? 'at least' : 'exact',
    steps: [
      {
        name: 'live and idle, by state',
        unit: 'count',
        expression: add(...STATES.map(([state, name]) => value(name, states[state], 'count'))),
      },
    ],
    sources: { state: say`each session’s pressure, by its own lens and its project’s bounds` },
    caveats: [
      say`An ended session has no state: states count it only where ended sessions are shown.`,
      filters.length > 0 &&
        say`Only what the other filters leave is counted: ${filters.join(', ')}. A count of states ignores the chosen states, one of live, idle and ended those.`,
      arrived < total && say`${count(total - arrived)} more have not arrived on this page yet.`,
    ],
  });
}

const HOUR = say`events and calls of the last 60 minutes, of all sessions`;

function explainHour(kind: 'compactions' | 'restarts', { hour, filters }: FleetFacts): Explanation {
  const isCompaction = kind === 'compactions';
  const isAll = filters.length === 0;
  const known = say`${counted(hour[kind], 'one is', 'are')} known.`;
  return explained(`${isCompaction ? 'Compactions' : 'Restarts'} of the last hour`, 'count', {
    meaning: isCompaction
      ? say`Confirmed compactions in the last 60 minutes, ${isAll ? 'main chains and sub-agents' : 'main chains'}: ${known}`
      : say`Restarts that runners reported in the last 60 minutes: ${known}`,
    result: hour[kind],
    sources: isAll
      ? { events: HOUR }
      : { traces: say`the main chains of the sessions that the filters leave, their last hour` },
    caveats: [
      !isAll && say`Only what the filters leave is counted: ${filters.join(', ')}.`,
      isCompaction
        ? say`Pending, blocked and failed compactions are not counted: they end no context.`
        : say`A runner that does not report its restart starts a new session instead.`,
    ],
  });
}

function explainHourShare({ hour: { cacheReadShare }, total }: FleetFacts): Explanation {
  // Who of the others was active in that hour is not known here.
  const isPart = total > SHARE_SESSIONS;
  return explained('Cache-read share of the last hour', 'share', {
    meaning:
      cacheReadShare === null
        ? say`Nothing was sent to a model in the last hour.`
        : say`Cache reads ÷ (input + cache reads + cache writes) of the calls of the last 60 minutes: the share of what was sent that came from the providers’ caches.`,
    result: cacheReadShare,
    certainty: isPart ? 'estimate' : 'exact',
    sources: { calls: HOUR },
    caveats: [
      say`Telemetry, not part of pressure.`,
      isPart &&
        say`Of these ${count(total)} sessions the ${count(SHARE_SESSIONS)} that were active last are read; the share of all may differ.`,
    ],
  });
}

export const FLEET_FIGURES = {
  counts: explainCounts,
  compactions: (facts: FleetFacts) => explainHour('compactions', facts),
  restarts: (facts: FleetFacts) => explainHour('restarts', facts),
  'cache-share': explainHourShare,
} as const satisfies Record<string, (facts: FleetFacts) => Explanation>;

export type FleetFigure = keyof typeof FLEET_FIGURES;
