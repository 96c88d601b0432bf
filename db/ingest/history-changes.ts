/**
 * What a write set changes of history: for each session the lowest position of a row that it writes. Taken from
 * the rows themselves, so that no way of writing them can forget it.
 */
import type { SessionFold } from '../../core/accounting/fold-types';
import type { LockedSession } from './lock-batch';
import type { WriteSet } from './write-set';
import type { Row } from './write-statements';

const WITH_POSITIONS = [
  'removedCalls',
  'changedCalls',
  'derived',
  'reports',
  'events',
  'amendedEvents',
  'retractedEvents',
  'historyChanges',
] as const satisfies readonly (keyof WriteSet)[];

/** Rows `{s, p}` of `history_changes`, one a session. */
export function historyChangesOf(set: WriteSet): Row[] {
  const lowest = new Map<number, number>();
  const note = (session: number, position: number) => {
    const known = lowest.get(session);
    if (known === undefined || position < known) lowest.set(session, position);
  };
  const { position: positions, session_id: sessions } = set.calls.values;
  for (let i = 0; i < set.calls.length; i += 1) note(Number(sessions[i]), Number(positions[i]));
  for (const table of WITH_POSITIONS) {
    for (const { s, p } of set[table]) note(Number(s), Number(p));
  }
  return [...lowest].map(([s, p]) => ({ s, p }));
}

/** Peaks are by the session's lens, all of them: another one begins the whole of its history anew. */
export function noteLens(
  writes: WriteSet,
  before: Pick<LockedSession, 'id' | 'fold'>,
  after: Pick<SessionFold, 'lens'>,
): void {
  if (after.lens !== before.fold.lens) writes.historyChanges.push({ s: before.id, p: 0 });
}
