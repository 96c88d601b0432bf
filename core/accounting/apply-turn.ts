import type { EventData } from '../events/details';
import type { ItemOf } from '../protocol/items';
import { isReadingUsable, noteFirstReading, type Reading, takeReading } from './accept-reading';
import { addCall, type Counts, countUsage, findOverflow, MAX_SUM } from './counts';
import { deriveTurn } from './derive-turn';
import { advanceTime, emptyChain, MAIN_CHAIN } from './empty-fold';
import type {
  ChainFold,
  ContextFold,
  DerivedEvent,
  FoldContext,
  FoldInput,
  FoldResult,
  FoldStep,
  SessionFold,
} from './fold-types';
import { usedByLens } from './lens';
import { nameModel, resolveLimit, setLimit, stateLimit } from './limit';
import { followMovement } from './main-value';
import { getOwn, setOwn } from './own-record';
import { isAtLeast } from './sources';
import type { TurnFlags } from './types';
import { watchCache } from './watch-cache';
import { raiseTrouble, settleThrash, thrashOfRestart } from './watch-thrash';

type TurnItem = ItemOf<'turn'>;

/** One usage report. Refused, with the state untouched, when a sum would pass 2^53−1. */
export function applyTurn(
  state: SessionFold,
  input: FoldInput,
  item: TurnItem,
  context: FoldContext,
): FoldResult {
  const key = item.chain ?? MAIN_CHAIN;
  const known = getOwn(state.chains, key);
  const chain = known ?? emptyChain();
  const counts = item.usage ? countUsage(item.usage) : null;
  const inherited = item.inherited === true;
  const superseded = !isAtLeast(input.source, context.owner);
  const isCounted = !inherited && !superseded;
  const isMainScope = item.scope !== 'side';
  // Tracked, or about to be again.
  const entersCumulative = isMainScope && !chain.context.usageMissed;

  if (isCounted && counts !== null) {
    const refused = refuseOverflow(state, chain.context, counts, entersCumulative);
    if (refused !== null) return refused;
  }
  setOwn(state.chains, key, chain);

  const time = advanceTime(chain, input.at);
  const events: DerivedEvent[] = [];
  if (state.ended && !inherited) {
    state.ended = false;
    events.push(eventOf({ kind: 'session_started', detail: { reason: 'resumed' } }, key, chain, time));
  }
  let amends: FoldStep['amends'] = null;
  let readingIgnored = false;
  let limit: ChainFold['limit'];
  if (isCounted) {
    countCall(state, chain, key, counts, isMainScope, time);
    if (isMainScope) {
      ({ amends, readingIgnored } = applyMainCall(state, chain, key, item, counts, time, context, events));
      limit = chain.limit;
    } else {
      limit = resolveLimit(state, chain, item.model ?? chain.model, item.limit);
    }
  } else {
    // A lesser source may still know the window: what the client states is worth having.
    if (superseded && !inherited && isMainScope && item.limit !== undefined) {
      stateLimit(chain, item.model ?? chain.model, item.limit);
    }
    limit = resolveLimit(state, chain, item.model ?? chain.model, item.limit);
  }
  const flags: TurnFlags = {
    estimated: item.contextTokens !== undefined && item.basis === 'estimate',
    untracked: !chain.context.tracked,
    noUsage: counts === null,
    inherited,
    negative: counts?.negative ?? false,
    clock: input.clockOff,
    superseded,
    readingIgnored,
    readingOnly: false,
  };
  return {
    ok: true,
    turn: deriveTurn(key, chain, limit, time, flags),
    events,
    amends,
    closed: null,
  };
}

function refuseOverflow(
  state: Readonly<SessionFold>,
  context: Readonly<ContextFold>,
  counts: Readonly<Counts>,
  entersCumulative: boolean,
): Extract<FoldResult, { ok: false }> | null {
  const field = findOverflow(state.totals.main, state.totals.side, counts);
  if (field !== null) return overflow(field);
  if (!entersCumulative) return null;
  const { cumulative } = context;
  const used = cumulative.input + cumulative.output;
  if (counts.input > MAX_SUM - used) return overflow('input');
  if (counts.output > MAX_SUM - used - counts.input) return overflow('output');
  return null;
}

function overflow(field: string): Extract<FoldResult, { ok: false }> {
  return {
    ok: false,
    code: 'sum_overflow',
    field: `usage.${field}`,
    reason: `the sum of ${field} would exceed 2^53−1`,
  };
}

function countCall(
  state: SessionFold,
  chain: ChainFold,
  key: string,
  counts: Counts | null,
  isMainScope: boolean,
  time: number,
): void {
  const { context } = chain;
  chain.turnCount += 1;
  context.turnCount += 1;
  context.startedAt ??= time;
  addCall(context.totals, counts);
  addCall(isMainScope && key === MAIN_CHAIN ? state.totals.main : state.totals.side, counts);
  state.lastTurnAt = Math.max(time, state.lastTurnAt ?? time);
}

/** A call that carries the chain's history: it moves both lenses, the limit and the rate. */
function applyMainCall(
  state: SessionFold,
  chain: ChainFold,
  key: string,
  item: TurnItem,
  counts: Counts | null,
  time: number,
  context: FoldContext,
  events: DerivedEvent[],
): { readingIgnored: boolean; amends: FoldStep['amends'] } {
  const current = chain.context;
  const before = { used: usedByLens(current, state.lens), basis: current.reading?.basis };

  nameModel(chain, item.model);
  if (item.limit !== undefined) stateLimit(chain, chain.model, item.limit);
  setLimit(chain, resolveLimit(state, chain, chain.model, item.limit));
  moveTracking(chain, key, counts, time, events);

  let readingIgnored = false;
  let amends: FoldStep['amends'] = null;
  if (item.contextTokens !== undefined) {
    const reading: Reading = {
      tokens: item.contextTokens,
      basis: item.basis ?? 'total',
      call: item.call ?? null,
    };
    if (isReadingUsable(chain, reading, chain.limit.tokens)) {
      takeReading(chain, reading, chain.limit);
      setLimit(chain, resolveLimit(state, chain, chain.model, item.limit));
      amends = noteFirstReading(chain, reading);
    } else {
      readingIgnored = true;
    }
  }
  current.mainTurns += 1;
  for (const compaction of chain.compactions) compaction.turnSince = true;
  if (chain.archive) chain.archive = null;

  followMovement(state, chain, { chainKey: key, time, before, isCall: true }, context, events);
  watchTrouble(state, chain, key, counts, time, context, events);
  return { readingIgnored, amends };
}

/** Thrash after a restart and cache storms: reported once, and over when the session recovers. */
function watchTrouble(
  state: SessionFold,
  chain: ChainFold,
  key: string,
  counts: Counts | null,
  time: number,
  { thresholds }: FoldContext,
  events: DerivedEvent[],
): void {
  if (key === MAIN_CHAIN) settleThrash(state, chain);
  const thrash = thrashOfRestart(state, chain, thresholds, { chainKey: key, time });
  if (thrash !== null) events.push(thrash);
  const storm = counts === null ? null : watchCache(chain, counts);
  if (storm === null) return;
  if (storm !== 'over')
    events.push(
      raiseTrouble(state, eventOf({ kind: 'cache_storm', detail: { ...storm } }, key, chain, time)),
    );
  else if (key === MAIN_CHAIN && state.trouble?.kind === 'cache_storm') state.trouble = null;
}

/** Cumulative tracking: off at a main turn without usage, on again with the first one after a boundary. */
function moveTracking(
  chain: ChainFold,
  key: string,
  counts: Counts | null,
  time: number,
  events: DerivedEvent[],
): void {
  const { context } = chain;
  if (counts === null) {
    context.usageMissed = true;
    if (context.tracked) {
      context.tracked = false;
      events.push(eventOf({ kind: 'tracking_disabled', detail: {} }, key, chain, time));
    }
    return;
  }
  if (!context.tracked) {
    if (context.usageMissed) return;
    context.tracked = true;
    events.push(eventOf({ kind: 'tracking_enabled', detail: {} }, key, chain, time));
  }
  context.cumulative.input += counts.input;
  context.cumulative.output += counts.output;
  context.cumulative.cacheRead += counts.cacheRead;
}

function eventOf<D extends EventData>(data: D, chainKey: string, chain: Readonly<ChainFold>, at: number) {
  return { ...data, chain: chainKey, context: chain.context.index, at, turn: chain.turnCount };
}
