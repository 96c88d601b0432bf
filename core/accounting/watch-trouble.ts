/**
 * Detects trouble of a chain. One event reports each trouble. A session shows its main chain's trouble until it ends.
 * Thrash is a boundary that freed too little: the context is full again within a few turns, compactions follow each
 * other without a turn, or a restart ends past the restart line. watch-cache.ts detects cache storms.
 */
import type { EventData } from '../events/details';
import type { Counts } from './counts';
import type { ContextFold } from './fold-types';
import { restartLineOf } from './movement';
import { tokensAt } from './state';
import type { Step } from './step';
import { isNever } from './thresholds';
import { watchCache } from './watch-cache';

/** A context with more main turns than this is not thrash. */
const REFILL_TURNS = 10;

export function watchCompaction(step: Step, ended: Readonly<ContextFold>, trigger: 'auto' | 'manual'): void {
  const { chain } = step;
  const turns = ended.mainTurns;
  const isRefill = trigger === 'auto' && ended.startedBy === 'compaction' && turns <= REFILL_TURNS;
  chain.refills = isRefill ? (chain.refills ?? 0) + 1 : 0;
  if (!isRefill) return;
  const form = turns === 0 ? 'in_a_row' : 'refill';
  raiseTrouble(step, { kind: 'thrash', detail: { form, turns, inARow: chain.refills } }, ended.index);
}

/** @param counts of the turn; null: the turn had no usage */
export function watchTurn(step: Step, counts: Readonly<Counts> | null): void {
  const { state } = step;
  if (step.isMain) settleThrash(step);
  watchRestart(step);
  const storm = counts === null ? null : watchCache(step.chain, counts);
  if (storm === null) return;
  if (storm !== 'over') raiseTrouble(step, storm);
  else if (step.isMain && state.trouble?.kind === 'cache_storm') state.trouble = null;
}

function watchRestart(step: Step): void {
  const { context, limit } = step.chain;
  if (context.startedBy !== 'restart' || context.mainTurns !== 1) return;
  const restartLine = restartLineOf(step.state, step.thresholds);
  const window = limit.tokens ?? 0;
  if (isNever(restartLine) || window <= 0) return;
  const used = step.used() ?? 0;
  const line = tokensAt(restartLine, window);
  if (used >= line)
    raiseTrouble(step, { kind: 'thrash', detail: { form: 'restart_full', used, limit: window, line } });
}

function raiseTrouble(
  step: Step,
  trouble: EventData<'thrash' | 'cache_storm'>,
  context = step.chain.context.index,
): void {
  step.emit(trouble, context);
  if (step.isMain) step.state.trouble = { ...trouble, context, at: step.time, turn: step.chain.turnCount };
}

function settleThrash(step: Step): void {
  const { trouble } = step.state;
  if (trouble?.kind !== 'thrash') return;
  const { detail } = trouble;
  const used = step.used();
  const isBelow = detail.form === 'restart_full' && used !== null && used < detail.line;
  if (isBelow || step.chain.context.mainTurns > REFILL_TURNS) step.state.trouble = null;
}
