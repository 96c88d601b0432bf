/** Where the session was in trouble: thrash and cache storms of its main chain, each with its reason. */
import type { SessionEvent, Trouble } from '@/core/api/session';
import { troubleSentence } from '@/core/api/trouble-sentence';

export interface TroubleMark {
  /** The event's id. */
  id: string;
  kind: Trouble['kind'];
  /** Milliseconds since the epoch. */
  at: number;
  /** Number of the last turn before it. */
  turn: number;
  /** Why, in one sentence with its numbers. */
  sentence: string;
}

/** One entry per event, in their order. */
export function listTroubles(events: readonly SessionEvent[]): TroubleMark[] {
  return events.flatMap(({ id, kind, chain, at, turn, detail }) => {
    if (chain !== 'main' || (kind !== 'thrash' && kind !== 'cache_storm')) return [];
    return [{ id, kind, at: Date.parse(at), turn, sentence: troubleSentence(kind, detail) }];
  });
}

export interface PlacedTrouble extends TroubleMark {
  /** Pixels. */
  x: number;
  /** Others that stand too close to have a mark of their own. */
  more: number;
}

/** Marks as wide as a finger tip can tell apart, pixels. */
const APART_PX = 18;

/** Where marks would cover each other, the newest stands for all. @param marks in the order of x */
export function placeTroubles(marks: ReadonlyArray<TroubleMark & { x: number }>): PlacedTrouble[] {
  const placed: PlacedTrouble[] = [];
  for (const mark of marks) {
    const last = placed.at(-1);
    if (last !== undefined && mark.x - last.x < APART_PX)
      placed[placed.length - 1] = { ...mark, more: last.more + 1 };
    else placed.push({ ...mark, more: 0 });
  }
  return placed;
}
