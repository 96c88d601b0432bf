import type { EventData } from '../events/details';
import { emptyGrowthRecord } from '../forecast/growth-record';
import type { ItemOf } from '../protocol/items';
import { advanceTime, MAIN_CHAIN, openChain } from './empty-fold';
import type { ChainFold, DerivedEvent, FoldContext, FoldInput, FoldStep, SessionFold } from './fold-types';
import { nameModel, resolveLimit, setLimit } from './limit';
import { isAtLeast } from './sources';

/**
 * A session begins, goes on after a resume, or is described once more by another source. A start that only
 * repeats a running session makes no event.
 */
export function applySessionStart(
  state: SessionFold,
  input: FoldInput,
  item: ItemOf<'session_start'>,
  context: FoldContext,
): FoldStep {
  const chain = openChain(state, MAIN_CHAIN);
  const time = advanceTime(chain, input.at);
  declare(state, input, item, context);
  nameModel(chain, item.model);
  if (chain.limit.source !== 'turn') setLimit(chain, resolveLimit(state, chain, chain.model, undefined));

  const isNews = !state.started || state.ended || item.reason === 'resumed';
  const reason = item.reason ?? (state.started ? 'resumed' : 'startup');
  state.started = true;
  state.ended = false;
  return onlyEvents(isNews ? [eventAt(chain, time, { kind: 'session_started', detail: { reason } })] : []);
}

function declare(
  state: SessionFold,
  input: FoldInput,
  item: ItemOf<'session_start'>,
  context: FoldContext,
): void {
  if (item.lens !== undefined && (!state.lensDeclared || isAtLeast(input.source, context.owner))) {
    if (item.lens !== state.lens) {
      state.lens = item.lens;
      // Values of two lenses are no one trace.
      state.trace = [];
      const chain = openChain(state, MAIN_CHAIN);
      chain.growth = [];
      chain.record = emptyGrowthRecord();
    }
    state.lensDeclared = true;
  }
  if (item.limit !== undefined) state.sessionLimit = item.limit;
  if (item.restartLine !== undefined) state.restartLine = item.restartLine;
  if (item.compactsAt !== undefined) state.compactsAt = item.compactsAt;
  if (item.client !== undefined) state.client = item.client;
  if (item.clientVersion !== undefined) state.clientVersion = item.clientVersion;
  state.backfill = item.backfill ?? false;
}

export function applySessionEnd(state: SessionFold, input: FoldInput, item: ItemOf<'session_end'>): FoldStep {
  const chain = openChain(state, MAIN_CHAIN);
  const time = advanceTime(chain, input.at);
  if (state.ended) return onlyEvents([]);
  state.ended = true;
  const detail = { reason: item.reason ?? null };
  return onlyEvents([eventAt(chain, time, { kind: 'session_ended', detail })]);
}

export function onlyEvents(events: DerivedEvent[]): FoldStep {
  return { turn: null, events, amends: null, closed: null };
}

function eventAt(chain: Readonly<ChainFold>, at: number, event: EventData): DerivedEvent {
  return { ...event, chain: MAIN_CHAIN, context: chain.context.index, at, turn: chain.turnCount };
}
