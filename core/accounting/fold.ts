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
import type { FoldContext, FoldInput, FoldResult, SessionFold } from './fold-types';

/** State of a session before its first item. Lens cumulative, nothing declared. */
export declare function emptySessionFold(): SessionFold;
export declare function foldItem(state: SessionFold, input: FoldInput, context: FoldContext): FoldResult;
