/**
 * One session takes over another: its items move behind the claim, its ids and streams follow, its row stays and
 * points on. Both rows are locked by the batch; everything happens in its transaction.
 */
import type postgres from 'postgres';
import { emptyChain } from '../../core/accounting/empty-fold';
import { emptySessionFold } from '../../core/accounting/fold';
import { KEPT_COMPOSITIONS, moveCompositions } from './compositions';
import { foldFrom } from './fold-from';
import { toJsonText } from './json-text';
import { type LockedSession, sessionColumns } from './lock-batch';
import { mergeCalls } from './merge-calls';
import { STRIDE } from './place-rows';
import { readDescription } from './record-late';
import type { Recorder } from './recorder';
import { descriptionOf } from './session-columns';
import type { TouchedSession } from './types';
import { flushWrites, newWriteSet } from './write-set';

export interface Adoption {
  adopter: number;
  adopted: number;
  /** Position of the claim in the adopter; 0: unknown, the items go to its end. */
  claimedAt: number;
}

export async function adoptSession(
  recorder: Recorder,
  { adopter, adopted, claimedAt }: Adoption,
  touched: Map<number, TouchedSession>,
): Promise<void> {
  const { tx } = recorder;
  const to = await readSession(tx, adopter);
  const from = await readSession(tx, adopted);
  const claim = claimedAt === 0 ? to.lastPosition : claimedAt;
  const merged = await mergeCalls(tx, from, to);
  const chainCount = await adoptChains(tx, from, to);
  const lastPosition = await moveItems(tx, from, to, claim);
  await moveNames(tx, from, to);
  const hasCompositions = await moveCompositions(tx, from, to);
  await clearAdopted(tx, from, to);

  const owner = Math.min(to.owner, from.owner);
  const writes = newWriteSet();
  const changedFrom = Math.min(claim + 1, merged ?? Number.MAX_SAFE_INTEGER);
  const activity = Math.max(to.lastActivityAt?.getTime() ?? 0, from.lastActivityAt?.getTime() ?? 0);
  const version = to.version + 1;
  await foldFrom(
    { ...recorder, writes },
    {
      session: to,
      from: owner === to.owner ? changedFrom : 0,
      mark: {
        owner,
        sources: to.sources | from.sources,
        lastPosition,
        chainCount,
        recomputeFrom: to.recomputeFrom,
        lastActivityAt: activity,
        version,
      },
      describe: () => readDescription(tx, to, descriptionOf(to), recorder.projectOf(to)),
    },
  );
  writes.historyChanges.push({ s: to.id, p: changedFrom }, { s: from.id, p: 0 });
  if (hasCompositions) {
    writes.oldCompositions.push({ m: to.month, s: to.id, n: KEPT_COMPOSITIONS });
    writes.compositionMarks.push({ s: to.id });
  }
  await flushWrites(tx, writes);
  touched.set(to.id, { id: to.id, publicId: to.publicId, version });
  touched.set(from.id, { id: from.id, publicId: from.publicId, version: from.version + 1 });
}

async function readSession(tx: postgres.TransactionSql, id: number): Promise<LockedSession> {
  const [row] = await tx<LockedSession[]>`select ${sessionColumns(tx)} from sessions where id = ${id}`;
  if (!row) throw new Error(`the session ${id} has no row`);
  return row;
}

/** Chains of the adopted session get numbers in the adopter, those of the same key the same; returns the count. */
async function adoptChains(
  tx: postgres.TransactionSql,
  from: LockedSession,
  to: LockedSession,
): Promise<number> {
  const fold = toJsonText(emptyChain());
  await tx`
    insert into chains (month, session_id, chain, key, fold)
    values (${to.month}, ${to.id}, 0, 'main', ${fold}::text::json) on conflict do nothing`;
  const added = await tx`
    insert into chains (month, session_id, chain, key, fold)
    select ${to.month}::smallint, ${to.id}::int, ${to.chainCount}::int - 1 + row_number() over (order by f.chain)::int,
      f.key, ${fold}::text::json
    from chains f
    where f.month = ${from.month} and f.session_id = ${from.id} and not exists (
      select 1 from chains t where t.month = ${to.month} and t.session_id = ${to.id} and t.key = f.key
    )
    returning 1`;
  return to.chainCount + added.length;
}

/** Moves turns and reports behind the claim, in their order and with their distances; returns the last position. */
async function moveItems(
  tx: postgres.TransactionSql,
  from: LockedSession,
  to: LockedSession,
  claim: number,
): Promise<number> {
  const [range] = await tx<{ first: number | null; last: number | null }[]>`
    select min(position) as first, max(position) as last from (
      select position from turns where month = ${from.month} and session_id = ${from.id}
      union all
      select position from reports where month = ${from.month} and session_id = ${from.id}
    ) x`;
  if (range?.first == null || range.last == null) return to.lastPosition;
  const span = range.last - range.first + 2 * STRIDE;
  // Further than the rows reach, so that none lands where another still stands.
  const shift = Math.max(span, to.lastPosition - claim + STRIDE);
  const isLast = to.lastPosition <= claim;
  if (!isLast) {
    for (const table of ['turns', 'reports']) {
      await tx`
        update ${tx(table)} set position = position + ${shift}::bigint
        where month = ${to.month} and session_id = ${to.id} and position > ${claim}`;
    }
    await tx`
      delete from checkpoints where month = ${to.month} and session_id = ${to.id} and position > ${claim}`;
  }
  const offset = claim + STRIDE - range.first;
  await tx`
    update turns x
    set month = ${to.month}, session_id = ${to.id}, position = x.position + ${offset}::bigint, chain = t.chain
    from chains f join chains t on t.month = ${to.month} and t.session_id = ${to.id} and t.key = f.key
    where x.month = ${from.month} and x.session_id = ${from.id}
      and f.month = ${from.month} and f.session_id = ${from.id} and f.chain = x.chain`;
  await tx`
    update reports set month = ${to.month}, session_id = ${to.id}, position = position + ${offset}::bigint
    where month = ${from.month} and session_id = ${from.id}`;
  return isLast ? range.last + offset : to.lastPosition + shift;
}

/** Whatever knew the adopted session by a name knows the adopter now. */
async function moveNames(tx: postgres.TransactionSql, from: LockedSession, to: LockedSession): Promise<void> {
  await tx`update session_aliases set session_id = ${to.id} where session_id = ${from.id}`;
  await tx`
    insert into session_streams (session_id, stream_id, max_seq)
    select ${to.id}::int, stream_id, max_seq from session_streams where session_id = ${from.id}
    on conflict (session_id, stream_id)
    do update set max_seq = greatest(session_streams.max_seq, excluded.max_seq)`;
  await tx`delete from session_streams where session_id = ${from.id}`;
  await moveNotes(tx, from, to);
  await tx`update sessions set adopted_by = ${to.id} where adopted_by = ${from.id}`;
}

/** Notes stay at their time; which turn that is among the adopter's is not known. The fold raises the version. */
async function moveNotes(tx: postgres.TransactionSql, from: LockedSession, to: LockedSession): Promise<void> {
  await tx`
    with moved as (
      update notes set session_id = ${to.id}, turn = null, version = version + 1
      where session_id = ${from.id} returning 1
    )
    update sessions set notes_version = version + 1 where id = ${to.id} and exists (select from moved)`;
}

/** What followed from the moved items goes; the row stays, empty, and points on. */
async function clearAdopted(
  tx: postgres.TransactionSql,
  from: LockedSession,
  to: LockedSession,
): Promise<void> {
  for (const table of ['events', 'contexts', 'chains', 'checkpoints', 'pyramid']) {
    await tx`delete from ${tx(table)} where month = ${from.month} and session_id = ${from.id}`;
  }
  const { chains: _none, ...fold } = emptySessionFold();
  await tx`
    update sessions set adopted_by = ${to.id}, fold = ${toJsonText(fold)}::text::json, last_position = 0,
      chain_count = 1, items_since_checkpoint = 0, recompute_from = null, used = null, pressure = null,
      state = 'unknown', minutes_left = null, silent_after_ms = null, turn_count = 0, composition_version = null, notes_version = null,
      version = version + 1,
      changed_at = clock_timestamp()
    where id = ${from.id}`;
}
