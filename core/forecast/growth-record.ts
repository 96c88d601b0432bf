/** Figures of a chain for its forecast. Plain JSON of bounded size. */
import {
  type AssumedUnevenness,
  addToTally,
  emptyTally,
  meanOf,
  rounded,
  type Tally,
  type TallyRule,
  unevenness,
} from './tally';

export interface GrowthRecord {
  turns: number;
  growth: Tally;
  /** Minutes between turns. Boundaries do not reset the pace, because they do not change it. */
  pace: Tally;
  /** Growth by readings between two turns. The next turn's growth includes it. */
  carried: [minutes: number, tokens: number];
  /** Plain sums of this context, with pauses of at most ten minutes. Records stored by earlier versions lack them. */
  elapsed?: [minutes: number, tokens: number];
  /** Number of earlier contexts with a rate, and the mean logarithm of their rates. */
  past: [contexts: number, logRate: number];
}

/** A longer pause counts as this many minutes of work. */
const LONGEST_PAUSE_MINUTES = 10;
const GROWTH: TallyRule = { typical: 1_500, leastBound: 0, parts: 1, halfLife: 20 };
const PACE: TallyRule = { typical: 0.5, leastBound: LONGEST_PAUSE_MINUTES, parts: 10_000, halfLife: 150 };

/** Large turns and long waits are rare, so a few equal ones do not exclude them. */
const ASSUMED_GROWTH: AssumedUnevenness = [2, 2];
const ASSUMED_PACE: AssumedUnevenness = [20, 4];

const LEAST_PAST_TURNS = 8;
const MOST_PAST = 8;

export function emptyGrowthRecord(): GrowthRecord {
  return {
    turns: 0,
    growth: emptyTally(),
    pace: emptyTally(),
    carried: [0, 0],
    elapsed: [0, 0],
    past: [0, 0],
  };
}

/** @param minutes since the previous turn */
export function recordTurn(record: GrowthRecord, minutes: number, tokens: number): void {
  const [carriedMinutes, carriedTokens] = record.carried;
  const wait = Math.min(Math.max(0, minutes + carriedMinutes), LONGEST_PAUSE_MINUTES);
  const growth = tokens + carriedTokens;
  const [elapsedMinutes, elapsedTokens] = record.elapsed ?? [0, 0];
  record.carried[0] = 0;
  record.carried[1] = 0;
  record.turns += 1;
  record.elapsed = [rounded(elapsedMinutes + wait, 1_000), elapsedTokens + growth];
  addToTally(record.growth, growth, GROWTH);
  addToTally(record.pace, wait, PACE);
}

export function carryGrowth(record: GrowthRecord, minutes: number, tokens: number): void {
  record.carried[0] += minutes;
  record.carried[1] += tokens;
}

export function unevenGrowth({ growth }: Readonly<GrowthRecord>): number {
  return unevenness(growth, ASSUMED_GROWTH);
}

export function unevenPace({ pace }: Readonly<GrowthRecord>): number {
  return unevenness(pace, ASSUMED_PACE);
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
  record.elapsed = [0, 0];
}
