import type { PressureState } from '../accounting/types';
import type { Liveness } from '../identity/liveness';
import type { FleetCounts } from '../live/protocol';
import { count, counted, type Explanation, explained, say } from './explanation';
import { add, value } from './formula';

/** The inputs of the fleet's own numbers. */
export interface FleetFacts {
  liveness: Record<Liveness, number>;
  states: Record<PressureState, number>;
  /** Sessions that this page has received. `total`: sessions in the feed. */
  arrived: number;
  total: number;
  /** Sessions that are not counted, because they are idle for more than a day. */
  hidden: number;
  /** The active filters, in words. */
  filters: readonly string[];
  hour: FleetCounts;
}

/** The cache-read share covers only this many recently active sessions (decision 0012). */
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

function explainCounts({ liveness, states, arrived, total, hidden, filters }: FleetFacts): Explanation {
  const parts = (['live', 'idle', 'ended'] as const).map((name) => value(name, liveness[name], 'count'));
  return explained('Sessions', 'count', {
    meaning: say`Live: activity within the last ten minutes (default). Idle: no such activity, or imported. Ended: its runner or client reported the end. The countdown of a silent live session is paused.`,
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
      say`Ended sessions are counted only while they are shown.`,
      filters.length > 0 &&
        say`Only sessions that match the filters are counted: ${filters.join(', ')}. The counts of states ignore the state filter. The counts of live, idle and ended ignore the liveness filter.`,
      hidden > 0 && say`${counted(hidden, 'session')} idle for more than 24 hours, not counted.`,
      arrived < total && say`${count(total - arrived)} more sessions are still loading.`,
    ],
  });
}

const HOUR = say`events and calls of the last 60 minutes, of all sessions`;

function explainHour(kind: 'compactions' | 'restarts', { hour, filters }: FleetFacts): Explanation {
  const isCompaction = kind === 'compactions';
  const isAll = filters.length === 0;
  return explained(`${isCompaction ? 'Compactions' : 'Restarts'} of the last hour`, 'count', {
    meaning: isCompaction
      ? say`Confirmed compactions in the last 60 minutes, ${isAll ? 'main chains and sub-agents' : 'main chains'}.`
      : say`Restarts that runners reported in the last 60 minutes.`,
    result: hour[kind],
    sources: isAll
      ? { events: HOUR }
      : { traces: say`the main chains of the filtered sessions in the last hour` },
    caveats: [
      !isAll && say`Only sessions that match the filters are counted: ${filters.join(', ')}.`,
      isCompaction
        ? say`Pending, blocked and failed compactions are not counted, because they end no context.`
        : say`If a runner does not report its restart, a new session appears instead.`,
    ],
  });
}

function explainHourShare({ hour: { cacheReadShare }, total }: FleetFacts): Explanation {
  // The activity of further sessions is unknown here.
  const isPart = total > SHARE_SESSIONS;
  return explained('Cache-read share of the last hour', 'share', {
    meaning:
      cacheReadShare === null
        ? say`Nothing was sent to a model in the last hour.`
        : say`Cache reads ÷ (input + cache reads + cache writes) of the calls of the last 60 minutes.`,
    result: cacheReadShare,
    certainty: isPart ? 'estimate' : 'exact',
    sources: { calls: HOUR },
    caveats: [
      say`Telemetry, not part of pressure.`,
      isPart &&
        say`Only the ${count(SHARE_SESSIONS)} most recently active of ${count(total)} sessions are read. The share of all sessions may differ.`,
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
