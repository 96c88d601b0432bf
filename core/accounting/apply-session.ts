/** Items that change no sum: start and end of a session, compressions, gaps. */
import { emptyGrowthRecord } from '../forecast/growth-record';
import type { ItemOf } from '../protocol/items';
import { isAtLeast } from './empty-fold';
import { nameModel, refreshLimit } from './limit';
import type { Step } from './step';

/** Starts or resumes a session, or adds facts from another source. A repeated start emits no event. */
export function applySessionStart(step: Step, item: ItemOf<'session_start'>): void {
  const { state, chain } = step;
  declare(step, item);
  nameModel(chain, item.model);
  if (chain.limit.source !== 'turn') refreshLimit(step);

  const isResumed = item.reason === 'resumed' && !isBehind(step) && !isSameStart(step);
  const isNews = !state.started || reopens(step) || isResumed;
  const reason = item.reason ?? (state.started ? 'resumed' : 'startup');
  state.started = true;
  if (!isNews) return;
  state.ended = false;
  state.startedAt = step.input.at;
  state.startedBy = step.input.source;
  step.emit({ kind: 'session_started', detail: { reason } });
}

function declare({ state, chain, input }: Step, item: ItemOf<'session_start'>): void {
  if (item.lens !== undefined && (state.lensSource === null || isAtLeast(input.source, state.lensSource))) {
    if (item.lens !== state.lens) {
      state.lens = item.lens;
      // Values of two lenses do not form one trace.
      state.trace = [];
      chain.growth = [];
      chain.record = emptyGrowthRecord();
    }
    state.lensSource = input.source;
  }
  state.sessionLimit = item.limit ?? state.sessionLimit;
  state.restartLine = item.restartLine ?? state.restartLine;
  state.compactsAt = item.compactsAt ?? state.compactsAt;
  state.client = item.client ?? state.client;
  state.clientVersion = item.clientVersion ?? state.clientVersion;
  state.backfill = item.backfill ?? false;
}

/** Whether the item is later than the session's end. A hook may report the end before the last turn arrives. */
export function reopens({ state, input }: Step): boolean {
  return state.ended && input.at > (state.endedAt ?? 0);
}

/** Whether another source reported this resume: no turn separates the two starts. A source reports each resume once. */
function isSameStart({ state, input }: Step): boolean {
  const { startedAt, startedBy = input.source, lastTurnAt, ended } = state;
  return !ended && startedBy !== input.source && startedAt !== undefined && (lastTurnAt ?? 0) < startedAt;
}

/** Whether the session's last start or turn has a later time than the item. */
function isBehind({ state, input }: Step): boolean {
  return input.at < Math.max(state.startedAt ?? 0, state.lastTurnAt ?? 0);
}

export function applySessionEnd(step: Step, item: ItemOf<'session_end'>): void {
  const { state, input } = step;
  if (isBehind(step)) return;
  state.endedAt = input.at;
  if (state.ended) return;
  state.ended = true;
  step.emit({ kind: 'session_ended', detail: { reason: item.reason ?? null } });
}

/** The runner removed messages. A compression is not a boundary; the next reading shows the effect. */
export function applyCompress(step: Step, { before, after, removed }: ItemOf<'compress'>): void {
  const detail = { before, after, ...(removed !== undefined && { removed }) };
  step.emit({ kind: 'context_compressed', detail });
}

export function applyGap(step: Step, item: ItemOf<'gap'>): void {
  const { from = null, to = null, count, bound, reason = null } = item;
  step.chain.context.complete = false;
  step.emit({ kind: 'turns_dropped', detail: { from, to, count, ...(bound && { bound }), reason } });
}

/** The gap that replaces a refused turn and marks the sums as a lower bound. */
export function gapForRefusedTurn(
  { seq, session, chain, at }: { seq: number; session: string; chain?: string | undefined; at: number },
  code: string,
): ItemOf<'gap'> {
  const place = { seq, session, at, ...(chain !== undefined && { chain }) };
  return { type: 'gap', ...place, from: seq, to: seq, count: 1, reason: `refused: ${code}` };
}

/** A received command is no event yet. */
export function applyCommand(step: Step, { command, action, state, reason }: ItemOf<'command_state'>): void {
  if (state !== 'received')
    step.emit({ kind: 'command', detail: { command, action, state, reason: reason ?? null } });
}
