import { closeRecord } from '../forecast/growth-record';
import type { ItemOf } from '../protocol/items';
import { pushTrace, TRACE_KIND } from '../series/recent-trace';
import { emptyContext } from './empty-fold';
import { forgetRestartLine } from './movement';
import { pressureOf } from './state';
import type { Step } from './step';
import type { BoundaryKind } from './types';
import { calmCache } from './watch-cache';

/** Starts the next context at zero, in state nominal. Emits no state event. */
export function closeContext(step: Step, endedBy: BoundaryKind): void {
  const { state, chain, time } = step;
  const ended = chain.context;
  chain.context = emptyContext(ended.index + 1, ended.tracked, endedBy, time);
  chain.growth = [];
  closeRecord(chain.record);
  calmCache(chain);
  if (step.isMain) {
    state.lastState = 'nominal';
    forgetRestartLine(state);
    if (state.trouble?.kind === 'cache_storm') state.trouble = null;
    pushTrace(state.trace, time, step.used(), TRACE_KIND[endedBy]);
  }
  step.closed = { chain: step.key, context: ended, endedAt: time, endedBy, limit: chain.limit.tokens };
}

export function describeBefore(step: Step) {
  const { context, limit } = step.chain;
  return { usedBefore: step.used(), limit: limit.tokens, contextBefore: context.index };
}

export function applyRestart(step: Step, item: ItemOf<'restart'>): void {
  const { state } = step;
  state.continuations += 1;
  const before = describeBefore(step);
  const { checkpoint, prompt } = item;
  const detail = {
    continuation: item.continuation ?? state.continuations,
    reason: item.reason ?? null,
    pressure: item.pressure ?? pressureOf(before.usedBefore, before.limit),
    ...(checkpoint !== undefined && { checkpoint }),
    ...(prompt !== undefined && { prompt }),
    ...before,
    contextAfter: before.contextBefore + 1,
  };
  step.emit({ kind: 'restart', detail });
  closeContext(step, 'restart');
}

export function applyClear(step: Step, item: ItemOf<'clear'>): void {
  const before = describeBefore(step);
  const tokensCleared = item.tokensCleared ?? before.usedBefore;
  const detail = { tokensCleared, ...before, contextAfter: before.contextBefore + 1 };
  step.emit({ kind: 'context_cleared', detail });
  closeContext(step, 'clear');
}
