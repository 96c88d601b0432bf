/**
 * One compaction, however many report it (hook, transcript, SDK, OTLP), is one event. A hook fires before it
 * and can be blocked or fail, so `pending` ends no context; only `confirmed` does, once.
 */
import type { ItemOf } from '../protocol/items';
import { closeContext, describeBefore } from './apply-boundary';
import { takeArchive } from './attach-archive';
import { advanceTime, MAIN_CHAIN, openChain } from './empty-fold';
import type {
  ChainFold,
  ClosedContext,
  CompactionMemory,
  DerivedEvent,
  FoldInput,
  FoldStep,
  SessionFold,
} from './fold-types';
import { learnFromCompaction, resolveLimit, setLimit } from './limit';
import { isAtLeast } from './sources';
import { thrashOfCompaction } from './watch-thrash';

type CompactionItem = ItemOf<'compaction'>;

const REMEMBERED_COMPACTIONS = 4;
const REMEMBERED_POINTS = 8;
const FIGURES = ['preTokens', 'postTokens', 'durationMs'] as const;

export function applyCompaction(state: SessionFold, input: FoldInput, item: CompactionItem): FoldStep {
  const key = item.chain ?? MAIN_CHAIN;
  const chain = openChain(state, key);
  const time = advanceTime(chain, input.at);
  const known = findReported(chain, item);
  return known === null
    ? reportNew(state, key, chain, input, item, time)
    : joinKnown(state, key, chain, known, input, item, time);
}

/** The same compaction: the client's boundary id, else the same trigger with no main turn between. */
function findReported(chain: Readonly<ChainFold>, item: CompactionItem): CompactionMemory | null {
  // One that was reported without an id has null, which no item says.
  const same = chain.compactions.findLast((c) => c.boundary === item.boundary);
  if (same !== undefined) return same;
  const last = chain.compactions.at(-1);
  if (last === undefined || last.trigger !== item.trigger) return null;
  // That nothing came of it shows late: the agent has gone on by then.
  if (last.turnSince && !(last.state === 'pending' && isFailure(item))) return null;
  const haveTwoIds = item.boundary !== undefined && last.boundary !== null;
  return haveTwoIds ? null : last;
}

function isFailure({ state }: CompactionItem): boolean {
  return state === 'blocked' || state === 'failed';
}

function reportNew(
  state: SessionFold,
  key: string,
  chain: ChainFold,
  input: FoldInput,
  item: CompactionItem,
  time: number,
): FoldStep {
  const memory: CompactionMemory = {
    position: input.position,
    trigger: item.trigger,
    state: item.state,
    boundary: item.boundary ?? null,
    source: input.source,
    at: input.at,
    turnSince: false,
    detail: { trigger: item.trigger, state: item.state, ...readBefore(state, chain) },
  };
  for (const figure of FIGURES) {
    if (item[figure] !== undefined) memory.detail[figure] = item[figure];
  }
  if (item.boundary !== undefined) memory.detail.boundary = item.boundary;
  if (item.reason !== undefined && isFailure(item)) memory.detail.reason = item.reason;
  takeArchive(chain, memory);
  chain.compactions.push(memory);
  if (chain.compactions.length > REMEMBERED_COMPACTIONS) chain.compactions.shift();
  const confirmed = item.state === 'confirmed' ? confirm(state, key, chain, memory, time) : null;
  return {
    turn: null,
    events: [
      {
        kind: 'compaction',
        chain: key,
        context: memory.detail.contextBefore,
        at: time,
        turn: chain.turnCount,
        detail: { ...memory.detail },
      },
      ...(confirmed?.events ?? []),
    ],
    amends: null,
    closed: confirmed?.closed ?? null,
  };
}

function joinKnown(
  state: SessionFold,
  key: string,
  chain: ChainFold,
  memory: CompactionMemory,
  input: FoldInput,
  item: CompactionItem,
  time: number,
): FoldStep {
  const isBetter = isAtLeast(input.source, memory.source);
  let isChanged = false;
  for (const figure of FIGURES) {
    const reported = item[figure];
    const current = memory.detail[figure];
    if (reported === undefined || reported === current) continue;
    if (current === undefined || (isBetter && input.source !== memory.source)) {
      memory.detail[figure] = reported;
      isChanged = true;
    }
  }
  const isNamed = memory.boundary === null && item.boundary !== undefined;
  if (isNamed) {
    memory.boundary = item.boundary ?? null;
    memory.detail.boundary = item.boundary;
  }
  if (isBetter) memory.source = input.source;

  let confirmed: Confirmed | null = null;
  if (memory.state !== 'confirmed' && item.state !== 'pending' && item.state !== memory.state) {
    memory.state = item.state;
    memory.detail.state = item.state;
    // A confirmed compaction has no reason to show.
    delete memory.detail.reason;
    if (item.reason !== undefined && isFailure(item)) memory.detail.reason = item.reason;
    isChanged = true;
    if (item.state === 'confirmed') {
      Object.assign(memory.detail, readBefore(state, chain));
      confirmed = confirm(state, key, chain, memory, time);
    }
  } else if (memory.state === 'confirmed' && isChanged) {
    learnPoint(chain, memory);
    refreshLimit(state, chain);
  }
  return {
    turn: null,
    events: confirmed?.events ?? [],
    amends:
      isChanged || isNamed
        ? { position: memory.position, kind: 'compaction', detail: { ...memory.detail } }
        : null,
    closed: confirmed?.closed ?? null,
  };
}

function readBefore(state: Readonly<SessionFold>, chain: Readonly<ChainFold>) {
  const { usedBefore, limit, contextBefore } = describeBefore(state, chain);
  return { usedBefore, limit, lastReading: chain.context.reading?.tokens ?? null, contextBefore };
}

interface Confirmed {
  closed: ClosedContext;
  events: DerivedEvent[];
}

function confirm(
  state: SessionFold,
  key: string,
  chain: ChainFold,
  memory: CompactionMemory,
  time: number,
): Confirmed {
  memory.detail.contextAfter = chain.context.index + 1;
  const closed = closeContext(state, key, chain, 'compaction', time);
  if (key === MAIN_CHAIN) state.compactions += 1;
  learnPoint(chain, memory);
  refreshLimit(state, chain);
  const thrash = thrashOfCompaction(state, chain, closed.context, memory.trigger, { chainKey: key, time });
  return { closed, events: thrash === null ? [] : [thrash] };
}

/**
 * Where this client compacts by itself, and how large its window at least is. Later figures of the same
 * compaction take the place of its first ones; where another window forgot them since, they say nothing.
 */
function learnPoint(chain: ChainFold, memory: CompactionMemory): void {
  if (memory.trigger !== 'auto') return;
  const stated = memory.detail.preTokens ?? 0;
  if (stated > 0) learnFromCompaction(chain, stated);
  const point = stated > 0 ? stated : memory.detail.lastReading;
  if (point === null) return;
  if (memory.point === undefined) {
    chain.compactedAt.push(point);
    if (chain.compactedAt.length > REMEMBERED_POINTS) chain.compactedAt.shift();
  } else {
    const place = chain.compactedAt.lastIndexOf(memory.point);
    if (place !== -1) chain.compactedAt[place] = point;
  }
  memory.point = point;
}

function refreshLimit(state: Readonly<SessionFold>, chain: ChainFold): void {
  const { source } = chain.limit;
  if (source === 'turn') return;
  setLimit(chain, resolveLimit(state, chain, chain.model, undefined));
}
