/**
 * Thrash: boundaries that free too little. A context that is full again within few turns of its compaction,
 * compactions with no turn between them, a restart whose first turn is already past the restart line.
 * Each becomes an event with the figures of its sentence (core/events/trouble-sentence.ts); on the main chain it
 * stays with the session until a context lasts.
 */
import type { EventDetail } from '../events/details';
import { restartLineOf } from './derive-events';
import { MAIN_CHAIN } from './empty-fold';
import type { ChainFold, ContextFold, DerivedEvent, SessionFold } from './fold-types';
import { usedByLens } from './lens';
import { tokensAt } from './state';
import { isNever } from './thresholds';
import type { Thresholds } from './types';

/** A context that outlives this many main turns was worth its compaction. */
const REFILL_TURNS = 10;

type TroubleEvent = DerivedEvent<'thrash' | 'cache_storm'>;

interface Place {
  chainKey: string;
  /** Chart time, milliseconds. */
  time: number;
}

/** A compaction was confirmed and ended a context: the event where that one had begun with a compaction just before. */
export function thrashOfCompaction(
  state: SessionFold,
  chain: ChainFold,
  ended: Readonly<ContextFold>,
  trigger: 'auto' | 'manual',
  { chainKey, time }: Place,
): DerivedEvent | null {
  const isRefill = trigger === 'auto' && ended.startedBy === 'compaction' && ended.mainTurns <= REFILL_TURNS;
  chain.refills = isRefill ? (chain.refills ?? 0) + 1 : 0;
  if (!isRefill) return null;
  const detail: EventDetail<'thrash'> = {
    form: ended.mainTurns === 0 ? 'in_a_row' : 'refill',
    turns: ended.mainTurns,
    inARow: chain.refills,
  };
  return raiseTrouble(state, {
    kind: 'thrash',
    chain: chainKey,
    context: ended.index,
    at: time,
    turn: chain.turnCount,
    detail,
  });
}

/** The first main turn after a restart: the event where it is already past the restart line. */
export function thrashOfRestart(
  state: SessionFold,
  chain: Readonly<ChainFold>,
  thresholds: Readonly<Thresholds>,
  { chainKey, time }: Place,
): DerivedEvent | null {
  const { context } = chain;
  // Only the main chain has restarts.
  if (context.startedBy !== 'restart' || context.mainTurns !== 1) return null;
  const line = restartLineOf(state, thresholds);
  const limit = chain.limit.tokens ?? 0;
  if (isNever(line) || limit <= 0) return null;
  const used = usedByLens(context, state.lens) ?? 0;
  const point = tokensAt(line, limit);
  if (used < point) return null;
  return raiseTrouble(state, {
    kind: 'thrash',
    chain: chainKey,
    context: context.index,
    at: time,
    turn: chain.turnCount,
    detail: { form: 'restart_full', used, limit, line: point },
  });
}

/** Keeps the trouble of the main chain with the session. */
export function raiseTrouble(state: SessionFold, event: TroubleEvent): DerivedEvent {
  if (event.chain !== MAIN_CHAIN) return event;
  const { chain: _main, ...trouble } = event;
  state.trouble = trouble;
  return event;
}

/** After a main turn of the main chain: thrash is over once a context lasted, or is below its line again. */
export function settleThrash(state: SessionFold, chain: Readonly<ChainFold>): void {
  const { trouble } = state;
  if (trouble?.kind !== 'thrash') return;
  const { detail } = trouble;
  const used = usedByLens(chain.context, state.lens);
  const isBelow = detail.form === 'restart_full' && used !== null && used < detail.line;
  if (isBelow || chain.context.mainTurns > REFILL_TURNS) state.trouble = null;
}
