import { isSummaryChain } from '../agents/clients';
import type { ItemOf } from '../protocol/items';
import { beforeReading, takeReading } from './apply-reading';
import { reopens } from './apply-session';
import {
  addCall,
  type Counts,
  countUsage,
  emptyTotals,
  findOverflow,
  isSameSpending,
  MAX_SUM,
} from './counts';
import { getOwn, MAIN_CHAIN } from './empty-fold';
import type { FoldRefusal, Limit, SessionFold } from './fold-types';
import { resolveLimit } from './limit';
import { followMovement } from './movement';
import type { Step } from './step';
import { watchTurn } from './watch-trouble';

type TurnItem = ItemOf<'turn'>;

/** Maximum number of side calls that the state keeps for a later sum. */
const MAX_SIDE_CALLS = 32;

/** Refuses a turn that would raise a sum above 2^53−1. Null: the turn is accepted. */
export function refuseTurn({ totals, chains }: Readonly<SessionFold>, item: TurnItem): FoldRefusal | null {
  if (!item.usage || item.inherited) return null;
  const counts = countUsage(item.usage);
  const field = findOverflow(totals.main, totals.side, counts);
  if (field !== null) return overflow(field);
  const current = getOwn(chains, item.chain ?? MAIN_CHAIN)?.context;
  const entersCumulative = item.scope !== 'side' && current?.usageMissed !== true;
  if (!entersCumulative) return null;
  const used = current === undefined ? 0 : current.cumulative.input + current.cumulative.output;
  if (counts.input > MAX_SUM - used) return overflow('input');
  if (counts.output > MAX_SUM - used - counts.input) return overflow('output');
  return null;
}

function overflow(field: string): FoldRefusal {
  const reason = `the sum of ${field} would exceed 2^53−1`;
  return { ok: false, code: 'sum_overflow', field: `usage.${field}`, reason };
}

export function applyTurn(step: Step, item: TurnItem): void {
  const { state, chain, input } = step;
  const counts = item.usage ? countUsage(item.usage) : null;
  const isCovered = isCoveredSum(step, item) || isCoveredSummary(step, item, counts);
  const inherited = item.inherited === true || isCovered;
  const isMainScope = item.scope !== 'side';
  if (reopens(step) && !inherited) {
    state.ended = false;
    step.emit({ kind: 'session_started', detail: { reason: 'resumed' } });
  }
  let readingIgnored = isCovered;
  let limit: Limit;
  if (!inherited && isMainScope) {
    countCall(step, counts, true);
    readingIgnored = applyMainCall(step, item, counts);
    limit = chain.limit;
  } else {
    if (!inherited) countCall(step, counts, false);
    limit = resolveLimit(state, chain, item.model ?? chain.model, item, step.context.windows);
  }
  step.store(limit, {
    estimated: item.contextTokens !== undefined && item.basis === 'estimate',
    untracked: !chain.context.tracked,
    noUsage: counts === null,
    inherited,
    negative: counts?.negative ?? false,
    clock: input.clockOff,
    readingIgnored,
    readingOnly: false,
  });
}

/**
 * Whether another source reported the calls of this turn. A turn that the library reports without an id may be the sum
 * of the calls since the library's previous turn. Times decide, because all calls of an adopted session are together.
 */
function isCoveredSum({ chain, input }: Step, { call, scope, inherited }: TurnItem): boolean {
  const { at, source, byLibrary } = input;
  if (scope === 'side' || inherited) return false;
  const { libraryAt: before = Number.NEGATIVE_INFINITY, callSpan: span } = chain;
  if (source === 'sdk' || byLibrary) chain.libraryAt = Math.max(at, before);
  else chain.callSpan = [Math.min(at, span?.[0] ?? at), Math.max(at, span?.[1] ?? at)];
  return source === 'sdk' && call === undefined && !!span && span[0] <= at && span[1] > before;
}

/**
 * Whether OTLP reported the calls of this sum one by one. The totals at the end of a client's process give only the sum
 * of its compactions' calls. The sum is covered if the newest side calls of OTLP on the same model add up to it.
 */
function isCoveredSummary({ state, key, input }: Step, item: TurnItem, counts: Counts | null): boolean {
  const { scope, inherited, model } = item;
  if (scope !== 'side' || inherited || counts === null) return false;
  const calls = state.sideCalls ?? [];
  if (input.source === 'otlp') state.sideCalls = [...calls, { model, counts }].slice(-MAX_SIDE_CALLS);
  if (input.source !== 'transcript' || !isSummaryChain(key)) return false;
  state.sideCalls = [];
  const sum = emptyTotals();
  for (const each of calls.toReversed()) {
    if (each.model !== model) continue;
    addCall(sum, each.counts);
    if (!isSameSpending(sum, counts)) continue;
    state.summaryCalls = (state.summaryCalls ?? 0) + sum.calls;
    return true;
  }
  return false;
}

function countCall(step: Step, counts: Counts | null, isMainScope: boolean): void {
  const { state, chain, isMain, time, input } = step;
  const { context } = chain;
  if (isSummaryChain(step.key)) state.summaryCalls = (state.summaryCalls ?? 0) + 1;
  chain.turnCount += 1;
  context.turnCount += 1;
  context.startedAt ??= time;
  addCall(context.totals, counts);
  addCall(isMainScope && isMain ? state.totals.main : state.totals.side, counts);
  // Not the chart's time, which another source's later report may have set.
  state.lastTurnAt = Math.max(input.at, state.lastTurnAt ?? input.at);
}

/** Applies a call that has the chain's history. @returns whether its reading is ignored */
function applyMainCall(step: Step, item: TurnItem, counts: Counts | null): boolean {
  const { chain } = step;
  const before = beforeReading(step, item);
  moveTracking(step, counts);
  const { contextTokens, usage } = item;
  const output = usage?.output === undefined ? undefined : counts?.output;
  const readingIgnored = contextTokens !== undefined && !takeReading(step, contextTokens, item, output);
  chain.context.mainTurns += 1;
  const { at } = step.input;
  for (const compaction of chain.compactions) compaction.turnSince ||= at > compaction.at;
  if (chain.archive && at > chain.archive.at) chain.archive = null;

  followMovement(step, before, true);
  watchTurn(step, counts);
  return readingIgnored;
}

/** Disables tracking at a main turn without usage. After a boundary, the first main turn with usage enables it. */
function moveTracking(step: Step, counts: Counts | null): void {
  const { context } = step.chain;
  if (counts === null) {
    context.usageMissed = true;
    if (context.tracked) {
      context.tracked = false;
      step.emit({ kind: 'tracking_disabled', detail: {} });
    }
    return;
  }
  if (!context.tracked) {
    if (context.usageMissed) return;
    context.tracked = true;
    step.emit({ kind: 'tracking_enabled', detail: {} });
  }
  context.cumulative.input += counts.input;
  context.cumulative.output += counts.output;
  context.cumulative.cacheRead += counts.cacheRead;
}
