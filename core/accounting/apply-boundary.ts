import { closeRecord } from '../forecast/growth-record';
import type { ItemOf } from '../protocol/items';
import { pushTrace, TRACE_KIND } from '../series/recent-trace';
import { emptyContext } from './empty-fold';
import { forgetRestartLine } from './movement';
import { pressureOf } from './state';
import type { Step } from './step';
import type { BoundaryKind } from './types';
import { calmCache } from './watch-cache';

/** Begins the next context at zero, without a state event: the first turn after it compares with nominal. */
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

function describeBefore(step: Step) {
  const { context, limit } = step.chain;
  const { index } = context;
  return { usedBefore: step.used(), limit: limit.tokens, contextBefore: index, contextAfter: index + 1 };
}

export function applyRestart(step: Step, item: ItemOf<'restart'>): void {
  const { state } = step;
  state.continuations += 1;
  const before = describeBefore(step);
  const detail = {
    continuation: item.continuation ?? state.continuations,
    reason: item.reason ?? null,
    pressure: item.pressure ?? pressureOf(before.usedBefore, before.limit),
    ...(item.checkpoint === undefined ? {} : { checkpoint: item.checkpoint }),
    ...(item.prompt === undefined ? {} : { prompt: item.prompt }),
    ...before,
  };
  step.emit({ kind: 'restart', detail });
  closeContext(step, 'restart');
}

export function applyClear(step: Step, item: ItemOf<'clear'>): void {
  const before = describeBefore(step);
  const tokensCleared = item.tokensCleared ?? before.usedBefore;
  step.emit({ kind: 'context_cleared', detail: { tokensCleared, ...before } });
  closeContext(step, 'clear');
}
