/**
 * The worker's part: sessions whose tail was too long to be folded again at once are folded in slices, each in a
 * transaction of its own. Until it is through, a session shows `recomputing`, and new items wait unfolded behind.
 */
import type postgres from 'postgres';
import { transact } from '../transact';
import { noteLens } from './history-changes';
import { type LockedSession, sessionColumns } from './lock-batch';
import { notifySessions } from './notify';
import { readDescription } from './record-late';
import { refold } from './refold';
import { descriptionOf, markRow, type SessionMark, sessionRow } from './session-columns';
import { projectThresholds } from './thresholds';
import type { TouchedSession } from './types';
import { flushWrites, newWriteSet } from './write-set';

/**
 * Folds one slice (at most 10 000 items) of one session that waits for it. Any number of processes may call it:
 * each takes another session.
 *
 * @returns the session it worked on; null: none waits (or others work on those that do)
 */
export async function continueRecomputing(sql: postgres.Sql): Promise<TouchedSession | null> {
  return transact(sql, async (tx) => {
    const [session] = await tx<LockedSession[]>`
      select ${sessionColumns(tx)} from sessions
      where recompute_from is not null order by changed_at limit 1 for update skip locked`;
    if (!session) return null;
    const [project] = await tx<{ name: string; settings: unknown }[]>`
      select name, settings from projects where id = ${session.projectId}`;
    const thresholds = projectThresholds(project?.settings);
    const writes = newWriteSet();
    const { id, month, owner } = session;
    const folded = await refold(
      tx,
      { id, month, from: session.recomputeFrom ?? 0, thresholds, owner },
      writes,
    );
    const version = session.version + 1;
    const mark: SessionMark = {
      owner,
      sources: session.sources,
      lastPosition: session.lastPosition,
      chainCount: session.chainCount,
      recomputeFrom: folded.next,
      lastActivityAt: session.lastActivityAt?.getTime() ?? 0,
      version,
    };
    if (folded.next !== null) {
      writes.marks.push(markRow(id, mark));
    } else {
      noteLens(writes, session, folded.state);
      const description = await readDescription(tx, session, descriptionOf(session), project?.name ?? '');
      writes.sessions.push(
        sessionRow(id, mark, {
          state: folded.state,
          thresholds,
          description,
          startedAt: folded.startedAt ?? session.startedAt.getTime(),
          endedAt: folded.endedAt,
          itemsSinceCheckpoint: folded.itemsSinceCheckpoint,
        }),
      );
    }
    await flushWrites(tx, writes);
    const touched = { id, publicId: session.publicId, version };
    await notifySessions(tx, [touched]);
    return touched;
  });
}
