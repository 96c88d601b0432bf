/**
 * All reports of one compaction make one event. A hook reports `pending` before the compaction, which can still be
 * blocked or fail. Only `confirmed` ends the context, and only once.
 */
import type { ItemOf } from '../protocol/items';
import { findOpen, takeArchive } from './apply-archive';
import { closeContext, describeBefore } from './apply-boundary';
import { isAtLeast } from './empty-fold';
import type { ChainFold, CompactionMemory } from './fold-types';
import type { Step } from './step';
import { watchCompaction } from './watch-trouble';

type CompactionItem = ItemOf<'compaction'>;

const REMEMBERED_COMPACTIONS = 4;
const REMEMBERED_POINTS = 8;
const FIGURES = ['preTokens', 'postTokens', 'durationMs'] as const;

export function applyCompaction(step: Step, item: CompactionItem): void {
  const known = findReported(step, item);
  if (known === null) reportNew(step, item);
  else joinKnown(step, known, item);
}

/** Finds the compaction of a report: by boundary id, else by trigger if no main turn is between them. */
function findReported({ chain, input }: Step, item: CompactionItem): CompactionMemory | null {
  // A missing id is null in the state and undefined in an item, so two missing ids never match.
  const same = chain.compactions.findLast((c) => c.boundary === item.boundary);
  if (same !== undefined) return same;
  const last = chain.compactions.at(-1);
  // A failure, or the boundary id of an announcement, may be reported after the agent's next turns.
  const isNamed = item.boundary !== undefined && last?.source === input.source;
  const isLate =
    last?.state === 'pending' && agree(item.trigger, last.trigger) && (isFailure(item) || isNamed);
  const known = isLate ? last : findOpen(chain, { at: input.at, trigger: item.trigger ?? null });
  const haveTwoIds = item.boundary !== undefined && known?.boundary != null;
  return haveTwoIds ? null : known;
}

/** Two triggers agree unless both are stated and differ. */
function agree(one: CompactionItem['trigger'], other: CompactionMemory['trigger']): boolean {
  return (one ?? other) === (other ?? one);
}

function isFailure({ state }: CompactionItem): boolean {
  return state === 'blocked' || state === 'failed';
}

function reportNew(step: Step, item: CompactionItem): void {
  const { chain, input } = step;
  const memory: CompactionMemory = {
    position: input.position,
    trigger: item.trigger ?? null,
    state: item.state,
    boundary: item.boundary ?? null,
    source: input.source,
    at: input.at,
    turnSince: false,
    turnAt: chain.context.lastMainAt ?? chain.context.startedAt,
    detail: { trigger: item.trigger ?? 'auto', state: item.state, ...readBefore(step) },
  };
  const { detail } = memory;
  for (const figure of FIGURES) if (item[figure] !== undefined) detail[figure] = item[figure];
  if (item.boundary !== undefined) detail.boundary = item.boundary;
  if (item.reason !== undefined && isFailure(item)) detail.reason = item.reason;
  takeArchive(chain, memory);
  chain.compactions.push(memory);
  if (chain.compactions.length > REMEMBERED_COMPACTIONS) chain.compactions.shift();
  if (item.state === 'confirmed') detail.contextAfter = chain.context.index + 1;
  step.emit({ kind: 'compaction', detail: { ...detail } });
  if (item.state === 'confirmed') confirm(step, memory);
}

function joinKnown(step: Step, memory: CompactionMemory, item: CompactionItem): void {
  const { chain, input } = step;
  const { detail } = memory;
  const isBetter = isAtLeast(input.source, memory.source);
  let isChanged = false;
  for (const figure of FIGURES) {
    const reported = item[figure];
    const current = detail[figure];
    if (reported === undefined || reported === current) continue;
    if (current === undefined || (isBetter && input.source !== memory.source)) {
      detail[figure] = reported;
      isChanged = true;
    }
  }
  if (memory.trigger === null && item.trigger !== undefined) {
    memory.trigger = item.trigger;
    isChanged ||= detail.trigger !== item.trigger;
    detail.trigger = item.trigger;
  }
  const isNamed = memory.boundary === null && item.boundary !== undefined;
  if (isNamed) {
    memory.boundary = item.boundary ?? null;
    detail.boundary = item.boundary;
  }
  if (isBetter) memory.source = input.source;

  if (memory.state !== 'confirmed' && item.state !== 'pending' && item.state !== memory.state) {
    memory.state = item.state;
    detail.state = item.state;
    delete detail.reason;
    if (item.reason !== undefined && isFailure(item)) detail.reason = item.reason;
    isChanged = true;
    if (item.state === 'confirmed') {
      Object.assign(detail, readBefore(step), { contextAfter: chain.context.index + 1 });
      confirm(step, memory);
    }
  } else if (memory.state === 'confirmed' && isChanged) {
    learnPoint(chain, memory);
  }
  if (isChanged || isNamed)
    step.amends = { position: memory.position, kind: 'compaction', detail: { ...detail } };
}

function readBefore(step: Step) {
  return { ...describeBefore(step), lastReading: step.chain.context.reading?.tokens ?? null };
}

function confirm(step: Step, memory: CompactionMemory): void {
  const { state, chain } = step;
  const ended = chain.context;
  closeContext(step, 'compaction');
  if (step.isMain) state.compactions += 1;
  learnPoint(chain, memory);
  watchCompaction(step, ended, memory.trigger ?? 'auto');
}

/** Learns the client's compaction point. A later report replaces the learned point. */
function learnPoint(chain: ChainFold, memory: CompactionMemory): void {
  if (memory.trigger === 'manual') return;
  const stated = memory.detail.preTokens ?? 0;
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
