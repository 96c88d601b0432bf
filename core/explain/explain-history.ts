import type { HistoryFigures, HistoryPoint } from '../api/history';
import { cacheShareFormula } from './explain-context';
import { atTime, counted, type Explanation, explained, say } from './explanation';
import { add, type Unit, value } from './formula';

/** A range of history for all sessions or for one group. */
export interface HistoryFacts {
  /** `all sessions`, or the group's name. */
  of: string;
  from: string;
  to: string;
  total: HistoryFigures;
  /** Slots with activity. Null: the slots were not read. */
  points: readonly HistoryPoint[] | null;
}

/** Up to this many slots are listed one by one. */
const FEW_SLOTS = 4;

const sourcesOf = ({ of, from, to }: HistoryFacts) => ({
  range: say`${of}, ${atTime(from)} to ${atTime(to)}`,
});

function explainPeak(facts: HistoryFacts): Explanation {
  const { peak } = facts.total;
  const slot = facts.points?.find((point) => point.peak === peak);
  return explained('Highest peak', 'share', {
    meaning:
      peak === null
        ? say`The pressure of ${facts.of} is unknown in this range.`
        : say`The highest pressure of ${facts.of} after a turn or reading, relative to the limit at that time.`,
    result: peak,
    steps: [slot !== undefined && say`Reached between ${atTime(slot.from)} and ${atTime(slot.to)}.`],
    sources: sourcesOf(facts),
    caveats: [
      say`Each session’s own lens gives its pressure. Cache reads are not part of pressure.`,
      say`The state uses the default bounds: 50, 75, 85 and 100 %.`,
    ],
  });
}

function explainCacheShare(facts: HistoryFacts): Explanation {
  const { total } = facts;
  return explained('Cache share', 'share', {
    meaning:
      total.cacheShare === null
        ? say`Nothing was sent to a model in this range.`
        : say`The share of the tokens sent to models that came from the providers’ caches: ${facts.of}, in this range.`,
    formula: total.cacheShare === null ? null : cacheShareFormula(total),
    result: total.cacheShare,
    sources: sourcesOf(facts),
    caveats: [say`Telemetry, not part of pressure.`],
  });
}

type Sum = Exclude<keyof HistoryFigures, 'peak' | 'cacheShare' | 'cacheCreation'>;

const SUMS: Record<Sum, readonly [title: string, unit: Unit, meaning: string]> = {
  turns: ['Turns', 'count', 'Counted calls and turns, sub-agents included'],
  input: ['Tokens in', 'tokens', 'Uncached tokens sent to models, sub-agents included'],
  output: ['Tokens out', 'tokens', 'Output tokens of models, reasoning and sub-agents included'],
  cacheRead: [
    'Cache reads',
    'tokens',
    'Tokens served from the providers’ caches; telemetry, not part of pressure',
  ],
  restarts: ['Restarts', 'count', 'Restarts that runners reported'],
  compactions: ['Compactions', 'count', 'Confirmed compactions of main chains'],
  thrashes: ['Thrash', 'count', 'Contexts that were full again within a few turns of a boundary'],
  cacheStorms: ['Cache storms', 'count', 'Sudden drops of the cache-read share'],
};

function explainSum(facts: HistoryFacts, sum: Sum): Explanation {
  const [title, unit, meaning] = SUMS[sum];
  const slots = (facts.points ?? []).filter((point) => point[sum] > 0);
  const most = slots.toSorted((a, b) => b[sum] - a[sum])[0];
  const others = slots.reduce((whole, point) => whole + point[sum], 0) - (most?.[sum] ?? 0);
  const parts =
    slots.length <= FEW_SLOTS || most === undefined
      ? slots.map((point, index) => value(`slot ${index + 1}`, point[sum], unit))
      : [value('the busiest bucket', most[sum], unit), value(`${slots.length - 1} others`, others, unit)];
  return explained(title, unit, {
    meaning: say`${meaning}: the sum of ${facts.points === null ? 'all buckets' : counted(slots.length, 'bucket')} of the range.`,
    formula: parts.length === 0 ? null : [title.toLowerCase(), add(...parts)],
    result: facts.total[sum],
    steps: [
      most !== undefined &&
        say`Most between ${atTime(most.from)} and ${atTime(most.to)}: ${{ value: most[sum], unit }}.`,
    ],
    sources: sourcesOf(facts),
    caveats: [facts.points === null && say`Only the sum of this group was read, without its buckets.`],
  });
}

export type HistoryFigure = Sum | 'peak' | 'cacheShare';

export function explainHistory(figure: HistoryFigure, facts: HistoryFacts): Explanation {
  if (figure === 'peak') return explainPeak(facts);
  return figure === 'cacheShare' ? explainCacheShare(facts) : explainSum(facts, figure);
}
