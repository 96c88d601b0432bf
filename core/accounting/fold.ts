/**
 * The one place where turns become sums: a left fold over a session's items in position order, no clock, no I/O.
 *
 * Ingest folds new items onto the stored state; a late item folds its session again from a checkpoint. Any arrival
 * order gives the same rows, and batches never change a sum. `state` is updated in place, because a copy per turn
 * would cost more than the fold.
 */
import { applyArchive } from './apply-archive';
import { applyClear, applyRestart } from './apply-boundary';
import { applyCompaction } from './apply-compaction';
import { applyReading } from './apply-reading';
import { applyCompress, applyGap, applySessionEnd, applySessionStart } from './apply-session';
import { applyTurn, refuseTurn } from './apply-turn';
import type { FoldContext, FoldInput, FoldResult, SessionFold } from './fold-types';
import { Step } from './step';

export { emptySessionFold } from './empty-fold';

/** Folds one item onto the state, in place; a refused item leaves it untouched. */
export function foldItem(state: SessionFold, input: FoldInput, context: FoldContext): FoldResult {
  const { item } = input;
  // An alias is identity, which ingest keeps.
  if (item.type === 'session_alias') return { ok: true, turn: null, events: [], amends: null, closed: null };
  const refusal = item.type === 'turn' ? refuseTurn(state, item, input, context) : null;
  if (refusal !== null) return refusal;
  const step = new Step(state, input, context, 'chain' in item ? item.chain : undefined);
  switch (item.type) {
    case 'turn':
      applyTurn(step, item);
      break;
    case 'reading':
      applyReading(step, item);
      break;
    case 'session_start':
      applySessionStart(step, item);
      break;
    case 'session_end':
      applySessionEnd(step, item);
      break;
    case 'restart':
      applyRestart(step, item);
      break;
    case 'compaction':
      applyCompaction(step, item);
      break;
    case 'clear':
      applyClear(step, item);
      break;
    case 'compress':
      applyCompress(step, item);
      break;
    case 'archive':
      applyArchive(step, item);
      break;
    case 'gap':
      applyGap(step, item);
      break;
  }
  const { turn, events, amends, closed } = step;
  return { ok: true, turn, events, amends, closed };
}
