/**
 * The one place where turns become sums: a left fold over a session's items in position order.
 *
 * Ingest folds new items onto the stored state; a late item folds its session again from a stored
 * checkpoint. Both run this function and nothing else, so any arrival order gives the same rows, and
 * batches never change a sum. No clock, no I/O: every time is passed in.
 *
 * It trades purity for speed in one respect: `state` is updated in place (a copy per turn would cost
 * more than the fold itself). A refused item leaves it untouched.
 */
import { applyClear, applyRestart } from './apply-boundary';
import { applyCompaction } from './apply-compaction';
import { applyArchive, applyCompress, applyGap } from './apply-note';
import { applyReading } from './apply-reading';
import { applySessionEnd, applySessionStart, onlyEvents } from './apply-session';
import { applyTurn } from './apply-turn';
import type { FoldContext, FoldInput, FoldResult, FoldStep, SessionFold } from './fold-types';

export { emptySessionFold } from './empty-fold';

/**
 * Folds one item onto the state, in place.
 * @returns what the item's row, its events and an ended context are to hold; or, with the state untouched,
 * why the item must be refused.
 */
export function foldItem(state: SessionFold, input: FoldInput, context: FoldContext): FoldResult {
  const { item } = input;
  switch (item.type) {
    case 'turn':
      return applyTurn(state, input, item, context);
    case 'reading':
      return taken(applyReading(state, input, item, context));
    case 'session_start':
      return taken(applySessionStart(state, input, item, context));
    case 'session_end':
      return taken(applySessionEnd(state, input, item));
    case 'restart':
      return taken(applyRestart(state, input, item));
    case 'compaction':
      return taken(applyCompaction(state, input, item));
    case 'clear':
      return taken(applyClear(state, input, item));
    case 'compress':
      return taken(applyCompress(state, input, item));
    case 'archive':
      return taken(applyArchive(state, input, item));
    case 'gap':
      return taken(applyGap(state, input, item));
    // An alias is identity, which ingest keeps.
    case 'session_alias':
      return taken(onlyEvents([]));
  }
}

function taken(step: FoldStep): FoldResult {
  return { ok: true, ...step };
}
