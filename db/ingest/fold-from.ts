/** Folds a session again from a position now, or leaves it to the worker where the rest is long. */

import { noteLens } from './history-changes';
import type { LockedSession } from './lock-batch';
import { countRows } from './read-rows';
import type { Recorder } from './recorder';
import { REFOLD_LIMIT, refold } from './refold';
import { type Description, markRow, type SessionMark, sessionRow } from './session-columns';
import type { Refused } from './types';

export interface FoldFromTask {
  session: LockedSession;
  /** Position of the first item that changed. */
  from: number;
  /** `recomputeFrom` as the session has it now. */
  mark: SessionMark;
  describe(): Promise<Description>;
}

/**
 * Puts the session's row, and all that follows from its items, into the recorder's writes.
 *
 * @returns calls that made a sum too large, by delivery key
 */
export async function foldFrom(recorder: Recorder, task: FoldFromTask): Promise<Map<string, Refused>> {
  const { tx, writes } = recorder;
  const { session, mark } = task;
  const { id, month } = session;
  const from = Math.min(task.from, mark.recomputeFrom ?? Number.MAX_SAFE_INTEGER);
  const isLong =
    mark.recomputeFrom !== null || (await countRows(tx, session, from, REFOLD_LIMIT)) >= REFOLD_LIMIT;
  if (isLong) {
    writes.marks.push(markRow(id, { ...mark, recomputeFrom: from }));
    return new Map();
  }
  const thresholds = recorder.thresholdsOf(session);
  const folded = await refold(tx, { id, month, from, thresholds, owner: mark.owner }, writes);
  if (folded.next !== null) {
    // The checkpoint before it lay too far back: the worker goes on from here.
    writes.marks.push(markRow(id, { ...mark, recomputeFrom: folded.next }));
    return folded.refused;
  }
  noteLens(writes, session, folded.state);
  writes.sessions.push(
    sessionRow(
      id,
      { ...mark, recomputeFrom: null },
      {
        state: folded.state,
        thresholds,
        description: await task.describe(),
        startedAt: folded.startedAt ?? session.startedAt.getTime(),
        endedAt: folded.endedAt,
        itemsSinceCheckpoint: folded.itemsSinceCheckpoint,
      },
    ),
  );
  return folded.refused;
}
