/** Boundaries: a restart, a completed compaction, a clear. Each ends its chain's context and starts the next. */

import type { EventDetail } from '../events/details';
import { closeRecord } from '../forecast/growth-record';
import type { ItemOf } from '../protocol/items';
import { pushTrace, TRACE_KIND } from '../series/recent-trace';
import { forgetRestartLine } from './derive-events';
import { advanceTime, emptyContext, MAIN_CHAIN, openChain } from './empty-fold';
import type { ChainFold, ClosedContext, FoldInput, FoldStep, SessionFold } from './fold-types';
import { usedByLens } from './lens';
import { pressureOf } from './state';
import type { BoundaryKind } from './types';
import { calmCache } from './watch-cache';

/**
 * Ends the context and begins the next at zero. On the main chain all lines are re-armed and no state event
 * is emitted: the first turn after it compares with nominal.
 */
export function closeContext(
  state: SessionFold,
  chainKey: string,
  chain: ChainFold,
  endedBy: BoundaryKind,
  time: number,
): ClosedContext {
  const ended = chain.context;
  chain.context = emptyContext(ended.index + 1, ended.tracked, endedBy, time);
  chain.growth = [];
  if (chain.record !== undefined) closeRecord(chain.record);
  calmCache(chain);
  if (chainKey === MAIN_CHAIN) {
    state.lastState = 'nominal';
    forgetRestartLine(state);
    if (state.trouble?.kind === 'cache_storm') state.trouble = null;
    pushTrace(state.trace, time, usedByLens(chain.context, state.lens), TRACE_KIND[endedBy]);
  }
  return { chain: chainKey, context: ended, endedAt: time, endedBy, limit: chain.limit.tokens };
}

/** What the session's lens read when the boundary came: shown as *before*, in no sum. */
export function describeBefore(state: Readonly<SessionFold>, chain: Readonly<ChainFold>) {
  const usedBefore = usedByLens(chain.context, state.lens);
  const { index } = chain.context;
  return { usedBefore, limit: chain.limit.tokens, contextBefore: index, contextAfter: index + 1 };
}

/** The runner gave up the context and began a fresh one with a checkpoint. */
export function applyRestart(state: SessionFold, input: FoldInput, item: ItemOf<'restart'>): FoldStep {
  const chain = openChain(state, MAIN_CHAIN);
  const time = advanceTime(chain, input.at);
  state.continuations += 1;
  const before = describeBefore(state, chain);
  const detail: EventDetail<'restart'> = {
    continuation: item.continuation ?? state.continuations,
    reason: item.reason ?? null,
    pressure: item.pressure ?? pressureOf(before.usedBefore, chain.limit.tokens),
    ...(item.checkpoint === undefined ? {} : { checkpoint: item.checkpoint }),
    ...(item.prompt === undefined ? {} : { prompt: item.prompt }),
    ...before,
  };
  return {
    turn: null,
    events: [
      {
        kind: 'restart',
        chain: MAIN_CHAIN,
        context: chain.context.index,
        at: time,
        turn: chain.turnCount,
        detail,
      },
    ],
    amends: null,
    closed: closeContext(state, MAIN_CHAIN, chain, 'restart', time),
  };
}

/** The client emptied the context. */
export function applyClear(state: SessionFold, input: FoldInput, item: ItemOf<'clear'>): FoldStep {
  const key = item.chain ?? MAIN_CHAIN;
  const chain = openChain(state, key);
  const time = advanceTime(chain, input.at);
  const before = describeBefore(state, chain);
  const detail = { tokensCleared: item.tokensCleared ?? before.usedBefore, ...before };
  return {
    turn: null,
    events: [
      {
        kind: 'context_cleared',
        chain: key,
        context: chain.context.index,
        at: time,
        turn: chain.turnCount,
        detail,
      },
    ],
    amends: null,
    closed: closeContext(state, key, chain, 'clear', time),
  };
}
