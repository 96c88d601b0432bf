import type { HistoryFigures, HistoryPoint } from '../api/history';
import { cacheShareFormula } from './explain-sums';
import type { Explanation, Phrase, Step } from './explanation';
import { atTime, count, counted, say, tokens } from './explanation';
import { add, value } from './formula';

/** A range of history, of all sessions or of one group. */
export interface HistoryFacts {
  /** `all sessions`, or the group's name. */
  of: string;
  from: string;
  to: string;
  total: HistoryFigures;
  /** Slots in which something happened; null: they were not read. */
  points: readonly HistoryPoint[] | null;
}

/** So many slots are named one by one; more are too many to read. */
const FEW_SLOTS = 4;

function rangePhrase({ of, from, to }: HistoryFacts): Phrase {
  return say`${of}, ${atTime(from)} to ${atTime(to)}`;
}

function explainPeak(facts: HistoryFacts): Explanation {
  const { peak } = facts.total;
  const slot = facts.points?.find((point) => point.peak === peak) ?? null;
  return {
    title: 'Highest peak',
    meaning:
      peak === null
        ? say`No pressure was known of ${facts.of} in this range.`
        : say`The highest pressure that a turn or reading of ${facts.of} stated, each against the limit it had then.`,
    formula: null,
    result: peak,
    unit: 'share',
    certainty: peak === null ? 'not known' : 'exact',
    steps:
      slot === null
        ? []
        : [{ says: say`Reached in the slot from ${atTime(slot.from)} to ${atTime(slot.to)}.` }],
    sources: [{ name: 'range', from: rangePhrase(facts) }],
    caveats: [
      say`Pressure is each session’s own lens; cache reads are in none.`,
      say`Its sign of state is by the usual bounds, 50, 75, 85 and 100 %.`,
    ],
  };
}

function explainCacheShare(facts: HistoryFacts): Explanation {
  const { total } = facts;
  return {
    title: 'Cache share',
    meaning:
      total.cacheShare === null
        ? say`Nothing was sent to a model in this range.`
        : say`Of all that ${facts.of} sent to models in this range, the share that came from the providers’ caches.`,
    formula: total.cacheShare === null ? null : cacheShareFormula(total),
    result: total.cacheShare,
    unit: 'share',
    certainty: total.cacheShare === null ? 'not known' : 'exact',
    steps: [],
    sources: [{ name: 'range', from: rangePhrase(facts) }],
    caveats: [say`Telemetry: it is in no pressure.`],
  };
}

type Sum =
  | 'turns'
  | 'input'
  | 'output'
  | 'cacheRead'
  | 'restarts'
  | 'compactions'
  | 'thrashes'
  | 'cacheStorms';

const SUMS: Record<Sum, readonly [title: string, meaning: string]> = {
  turns: ['Turns', 'Calls and turns that were counted, sub-agents included'],
  input: ['Tokens in', 'Uncached tokens sent to models, sub-agents included'],
  output: ['Tokens out', 'Tokens that models answered, reasoning and sub-agents included'],
  cacheRead: ['Cache reads', 'Tokens served from the providers’ caches; telemetry, not in pressure'],
  restarts: ['Restarts', 'Contexts that a runner ended to start fresh ones'],
  compactions: ['Compactions', 'Confirmed compactions of main chains'],
  thrashes: ['Thrash', 'Contexts that were full again within a few turns of a boundary'],
  cacheStorms: ['Cache storms', 'Sudden falls of the cache-read share'],
};

function explainSum(facts: HistoryFacts, sum: Sum): Explanation {
  const [title, meaning] = SUMS[sum];
  const result = facts.total[sum];
  const isTokens = sum === 'input' || sum === 'output' || sum === 'cacheRead';
  const unit = isTokens ? 'tokens' : 'count';
  const slots = (facts.points ?? []).filter((point) => point[sum] > 0);
  const most = slots.reduce<HistoryPoint | null>(
    (best, point) => (best === null || point[sum] > best[sum] ? point : best),
    null,
  );
  const rest = slots.reduce((whole, point) => whole + point[sum], 0);
  const parts =
    slots.length <= FEW_SLOTS || most === null
      ? slots.map((point, index) => value(`slot ${index + 1}`, point[sum], unit))
      : [
          value('the busiest slot', most[sum], unit),
          value(`${slots.length - 1} others`, rest - most[sum], unit),
        ];
  const steps: Step[] =
    most === null
      ? []
      : [
          {
            says: say`Most in the slot from ${atTime(most.from)} to ${atTime(most.to)}: ${isTokens ? tokens(most[sum]) : count(most[sum])}.`,
          },
        ];
  return {
    title,
    meaning: say`${meaning}: the sum of ${facts.points === null ? 'all slots' : counted(slots.length, 'slot')} of the range.`,
    formula: parts.length === 0 ? null : { expression: add(...parts), name: title.toLowerCase(), unit },
    result,
    unit,
    certainty: 'exact',
    steps,
    sources: [{ name: 'range', from: rangePhrase(facts) }],
    caveats:
      facts.points === null ? [say`The slots of this group were not read: only their sum is here.`] : [],
  };
}

export const HISTORY_FIGURES = {
  peak: explainPeak,
  cacheShare: explainCacheShare,
  turns: (facts: HistoryFacts) => explainSum(facts, 'turns'),
  input: (facts: HistoryFacts) => explainSum(facts, 'input'),
  output: (facts: HistoryFacts) => explainSum(facts, 'output'),
  cacheRead: (facts: HistoryFacts) => explainSum(facts, 'cacheRead'),
  restarts: (facts: HistoryFacts) => explainSum(facts, 'restarts'),
  compactions: (facts: HistoryFacts) => explainSum(facts, 'compactions'),
  thrashes: (facts: HistoryFacts) => explainSum(facts, 'thrashes'),
  cacheStorms: (facts: HistoryFacts) => explainSum(facts, 'cacheStorms'),
} as const satisfies Record<string, (facts: HistoryFacts) => Explanation>;

export type HistoryFigure = keyof typeof HISTORY_FIGURES;
