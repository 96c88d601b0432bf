/**
 * Computes all sums: a left fold over a session's items in order of position, without clock or I/O. Ingest folds new
 * items onto the stored state. After a late item, ingest folds the session again from a checkpoint. Any order of
 * arrival gives the same rows. `state` is updated in place, because a copy per turn would cost more than the fold.
 */
import type { ItemOf, ItemType } from '../protocol/items';
import { applyArchive } from './apply-archive';
import { applyClear, applyRestart } from './apply-boundary';
import { applyCompaction } from './apply-compaction';
import { applyReading } from './apply-reading';
import { applyCommand, applyCompress, applyGap, applySessionEnd, applySessionStart } from './apply-session';
import { applyTurn, refuseTurn } from './apply-turn';
import type { FoldContext, FoldInput, FoldResult, SessionFold } from './fold-types';
import { Step } from './step';

export { emptySessionFold } from './empty-fold';

type FoldedType = Exclude<ItemType, 'session_alias'>;
const APPLY: { readonly [T in FoldedType]: (step: Step, item: ItemOf<T>) => void } = {
  turn: applyTurn,
  reading: applyReading,
  session_start: applySessionStart,
  session_end: applySessionEnd,
  restart: applyRestart,
  compaction: applyCompaction,
  clear: applyClear,
  compress: applyCompress,
  archive: applyArchive,
  gap: applyGap,
  command_state: applyCommand,
};

/** Folds one item onto the state, in place. A refused item does not change the state. */
export function foldItem(state: SessionFold, input: FoldInput, context: FoldContext): FoldResult {
  const { item } = input;
  // Aliases belong to the identity of a session, which ingest stores.
  if (item.type === 'session_alias') {
    return { ok: true, turn: null, events: [], amends: null, closed: null, corrects: null };
  }
  const refusal = item.type === 'turn' ? refuseTurn(state, item) : null;
  if (refusal !== null) return refusal;
  const step = new Step(state, input, context, 'chain' in item ? item.chain : undefined);
  APPLY[item.type](step, item as never);
  const { turn, events, amends, closed, corrects } = step;
  return { ok: true, turn, events, amends, closed, corrects };
}
