/** Figures of a chain for its forecast. Plain JSON of bounded size. */
import { addToTally, emptyTally, meanOf, type Tally, type TallyRule } from './tally';

export interface GrowthRecord {
  turns: number;
  growth: Tally;
  /** Minutes between turns. Boundaries do not reset the pace, because they do not change it. */
  pace: Tally;
  /** Growth by readings between two turns. The next turn's growth includes it. */
  carried: [minutes: number, tokens: number];
  /** Number of earlier contexts with a rate, and the mean logarithm of their rates. */
  past: [contexts: number, logRate: number];
}

const GROWTH: TallyRule = { typical: 1_500, leastBound: 0, parts: 1 };
/** A pause counts as at most ten minutes, unless two consecutive pauses are longer. */
const PACE: TallyRule = { typical: 0.5, leastBound: 10, parts: 10_000 };

const LEAST_PAST_TURNS = 8;
const MOST_PAST = 8;

export function emptyGrowthRecord(): GrowthRecord {
  return { turns: 0, growth: emptyTally(), pace: emptyTally(), carried: [0, 0], past: [0, 0] };
}

/** @param minutes since the previous turn */
export function recordTurn(record: GrowthRecord, minutes: number, tokens: number): void {
  const [carriedMinutes, carriedTokens] = record.carried;
  record.carried[0] = 0;
  record.carried[1] = 0;
  record.turns += 1;
  addToTally(record.growth, tokens + carriedTokens, GROWTH);
  addToTally(record.pace, minutes + carriedMinutes, PACE);
}

export function carryGrowth(record: GrowthRecord, minutes: number, tokens: number): void {
  record.carried[0] += minutes;
  record.carried[1] += tokens;
}

export function closeRecord(record: GrowthRecord): void {
  const rate = meanOf(record.growth);
  if (record.turns >= LEAST_PAST_TURNS && rate > 0) {
    const [contexts, logRate] = record.past;
    const count = Math.min(contexts + 1, MOST_PAST);
    record.past = [count, Math.round((logRate + (Math.log(rate) - logRate) / count) * 1e4) / 1e4];
  }
  record.turns = 0;
  record.growth = emptyTally();
  record.carried = [0, 0];
}
