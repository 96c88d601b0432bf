import { carryGrowth, emptyGrowthRecord, recordTurn } from '../forecast/growth-record';
import type { ChainFold } from './fold-types';

/** Growths a chain remembers: enough for a rate, few enough to store with each batch. */
const GROWTH_TURNS = 24;
const MINUTE = 60_000;

/**
 * Remembers by how much the lens grew with a main turn, and how long after the one before it (minutes). The
 * first turn of a context has no turn before it: what it brings is the context's beginning, not growth.
 *
 * @param isCall a turn; otherwise a reading on its own, which the next turn's growth takes in. In a session
 * that has readings alone, each of them is a step.
 */
export function trackGrowth(
  chain: ChainFold,
  time: number,
  usedBefore: number | null,
  usedAfter: number | null,
  isCall: boolean,
): void {
  const { lastMainAt, mainTurns } = chain.context;
  chain.context.lastMainAt = time;
  if (lastMainAt === null || usedBefore === null || usedAfter === null) return;
  const minutes = (time - lastMainAt) / MINUTE;
  const tokens = usedAfter - usedBefore;
  chain.growth.push([minutes, tokens]);
  if (chain.growth.length > GROWTH_TURNS) chain.growth.shift();
  chain.record ??= emptyGrowthRecord();
  if (isCall || mainTurns === 0) recordTurn(chain.record, minutes, tokens);
  else carryGrowth(chain.record, minutes, tokens);
}
