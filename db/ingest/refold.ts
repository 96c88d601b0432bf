/**
 * Folds a session again from a position, after late items, amended calls or an adoption were written. If many items
 * follow, a worker folds them in slices. The worker also folds the items that are stored meanwhile.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type postgres from 'postgres';
import { MAIN_CHAIN } from '../../core/accounting/empty-fold';
import type {
  ChainFold,
  Correction,
  DerivedTurn,
  FoldContext,
  SessionFold,
} from '../../core/accounting/fold-types';
import { lastCorrectionBy } from '../../core/accounting/limit';
import { PYRAMID_MIN_TURNS } from '../../core/series/pyramid';
import { ruleBook } from '../alerts/rule-book';
import { notifySessions } from '../notify-sessions';
import { projectContext } from '../queries/project-settings';
import { events } from '../schema/events';
import { columnsText, milliseconds, type Row } from '../tables';
import { transact } from '../transact';
import { STORE_RANK } from '../transcripts/record-store-event';
import { LOCKED_SESSION, refutedLimit, turnRow } from './columns';
import {
  CHECKPOINT_EVERY,
  contextRow,
  describe,
  type EventRow,
  type FoldedTail,
  Folding,
  reportRow,
  writeSession,
} from './fold';
import { buildPyramid, extendPyramid, type Pyramid, readPyramid, writePyramid } from './pyramid';
import {
  placedReport,
  REFOLD_LIMIT,
  REPORTS,
  readRows,
  readStart,
  type Start,
  type StoredItem,
  type StoredReport,
} from './stored-items';
import {
  DELIVERY_OUTCOME,
  type LockedSession,
  type PlacedReport,
  type Refused,
  type SessionPlan,
  type StoredChain,
  type TouchedSession,
} from './types';
import {
  type Batch,
  DERIVED,
  type EventAmendment,
  flushWrites,
  moveWrites,
  newWriteSet,
  noteDelivery,
  refusePlaced,
  type WriteSet,
} from './write';

/** If a refold starts more than this many items before the change, it adds a checkpoint just before the change. */
const NEAR_CHECKPOINT_AFTER = 64;
const YIELD_EVERY = 200;

export interface RefoldTask {
  tx: postgres.TransactionSql;
  writes: WriteSet;
  /** The session's row after the change, except for the columns of the fold. */
  session: LockedSession;
  context: FoldContext | undefined;
  from: number;
}

/** Refusals of calls that made a sum overflow, by position. */
type RefusedCalls = ReadonlyMap<number, Refused>;

/** Fold a session again. A worker folds the items beyond one slice. */
export async function refoldSession(task: RefoldTask): Promise<RefusedCalls> {
  const { tx, writes, session } = task;
  let from = Math.min(task.from, session.recomputeFrom ?? Number.MAX_SAFE_INTEGER);
  let start = await readStart(tx, session.id, from);
  // A changed item may have caused this correction, so start before it: the fold then detects it again.
  for (; lastCorrectionBy(start.fold) >= task.from; start = await readStart(tx, session.id, from))
    from = start.position;
  if (session.recomputeFrom === null) {
    const [row] = await tx<{ count: number }[]>`
      select count(*)::int as count from (
        (select 1 from turns where session_id = ${session.id} and position >= ${from} limit ${REFOLD_LIMIT})
        union all
        (select 1 from reports where session_id = ${session.id} and position >= ${from} limit ${REFOLD_LIMIT})
      ) x`;
    if (row && row.count < REFOLD_LIMIT) return refoldSlice({ ...task, from });
  }
  writes.marks.push({ ...session, recomputeFrom: from });
  return new Map();
}

/** Fold a late session again, and refuse the calls that make a sum overflow. */
export async function refoldLate(batch: Batch, plan: SessionPlan, from: number): Promise<void> {
  const { tx, writes } = batch;
  const session = plan.next;
  const refused = await refoldSession({
    tx,
    writes,
    session,
    context: batch.contexts.get(session.projectId),
    from,
  });
  for (const placed of [...plan.late, ...plan.tail]) {
    const reason = refused.get(placed.position);
    if (reason) refusePlaced(batch, placed, reason);
  }
}

/** Write the pyramid of a long session, and the next checkpoint. */
export async function finishTail({ tx, writes }: Batch, tail: FoldedTail): Promise<void> {
  const { folding, turnsBefore, turnCount, needsCheckpoint } = tail;
  const { id: sessionId, lastPosition: position } = tail.plan.next;
  let pyramid: Pyramid | null = null;
  if (folding.points) {
    pyramid = await readPyramid(tx, sessionId, turnsBefore);
    extendPyramid(pyramid, folding.points);
  } else if (turnCount > PYRAMID_MIN_TURNS) pyramid = await buildPyramid(tx, sessionId, position);
  if (pyramid) writePyramid(writes, sessionId, pyramid);
  if (!needsCheckpoint) return;
  const rows = await tx<StoredChain[]>`select key, fold from chains where session_id = ${sessionId}`;
  const chains = Object.fromEntries(rows.map(({ key, fold }) => [key, fold]));
  writes.checkpoints.push({
    sessionId,
    position,
    fold: { ...folding.state, chains },
    edge: pyramid?.edge ?? null,
    near: false,
  });
}

/**
 * Fold one slice of a waiting session. Concurrent processes choose different sessions.
 * @param quietSince leave out sessions with a later item, because the next late item voids the slice; milliseconds
 * @returns the session; null: no session waits
 */
export async function continueRecomputing(
  sql: postgres.Sql,
  quietSince: number | null = null,
): Promise<TouchedSession | null> {
  const book = await ruleBook(sql);
  return transact(sql, async (tx) => {
    const [session] = await tx<LockedSession[]>`
      select ${tx.unsafe(LOCKED_SESSION)} from sessions
      where recompute_from is not null
        and coalesce(last_activity_at <= to_timestamp(${quietSince === null ? null : quietSince / 1000}::float8), true)
      order by changed_at limit 1 for update skip locked`;
    if (!session) return null;
    const [row] = await tx<{ settings: unknown }[]>`
      select settings from projects where id = ${session.projectId}`;
    const context = projectContext(row?.settings ?? null);
    const writes = newWriteSet();
    const version = session.version + 1;
    const from = session.recomputeFrom ?? 0;
    await refoldSlice({ tx, writes, session: { ...session, version }, context, from });
    await flushWrites(tx, writes, { book, now: Date.now() });
    const touched = { id: session.id, publicId: session.publicId, version };
    await notifySessions(tx, [touched]);
    return touched;
  });
}

interface Refolder {
  task: RefoldTask;
  start: Start;
  folding: Folding;
  /** Null if the main chain was too short for a pyramid so far. */
  pyramid: Pyramid | null;
  firstNumber: number;
  sinceCheckpoint: number;
}

/** Fold at most `REFOLD_LIMIT` items; a worker folds further items. Starts again if an item corrects a limit. */
async function refoldSlice(task: RefoldTask, corrections: Correction[] = []): Promise<RefusedCalls> {
  const writes = newWriteSet();
  const found = await trySlice({ ...task, writes }, corrections);
  if ('since' in found)
    return refoldSlice({ ...task, from: Math.min(task.from, found.since) }, [found, ...corrections]);
  moveWrites(writes, task.writes);
  return found;
}

async function trySlice(task: RefoldTask, corrections: Correction[]): Promise<RefusedCalls | Correction> {
  const { tx, writes, session, from } = task;
  const { id } = session;
  const context = task.context ?? projectContext(null);
  const start = await readStart(tx, id, from);
  if (corrections.length > 0) start.fold.corrections = [...corrections, ...(start.fold.corrections ?? [])];
  const stored = await tx<StoredChain[]>`select chain, key, fold from chains where session_id = ${id}`;
  const chains = new Map(stored.map((row) => [row.key, row]));
  const { rows, next } = await readRows(tx, id, start.position);
  const before = structuredClone(start.fold);
  const refolder: Refolder = {
    task,
    start,
    folding: new Folding(id, start.fold, context, [], (key) => chains.get(key)?.chain ?? 0),
    // The pyramid of a session that may be long begins with its first turn, because a later slice would read all turns again.
    pyramid:
      start.edge || (start.position === 0 && next !== null)
        ? { completed: [], edge: start.edge ?? [] }
        : null,
    firstNumber: before.chains[MAIN_CHAIN]?.turnCount ?? 0,
    sinceCheckpoint: 0,
  };
  const { folding } = refolder;
  writes.removedCheckpoints.push({ sessionId: id, position: from, near: false });
  const last = await foldRows(refolder, rows);
  if (folding.correction) return folding.correction;
  if (next !== null && refolder.sinceCheckpoint > 0) await keepCheckpoint(refolder, last, false);
  const hadPyramid = (chains.get(MAIN_CHAIN)?.fold.turnCount ?? 0) > PYRAMID_MIN_TURNS;
  await extendTo(refolder);
  const turnCount = folding.state.chains[MAIN_CHAIN]?.turnCount ?? 0;
  const isLong = next !== null || turnCount > PYRAMID_MIN_TURNS;
  const { pyramid, firstNumber } = refolder;
  if (pyramid || hadPyramid)
    writes.removedBuckets.push({ sessionId: id, lastNumber: pyramid && isLong ? firstNumber : 0 });
  if (pyramid && isLong) writePyramid(writes, id, pyramid);
  // A later refold must not continue a pyramid that has no buckets.
  else if (pyramid) writes.removedEdges.push({ sessionId: id });
  const stop = next === null ? Number.MAX_SAFE_INTEGER : last;
  await writeEventChanges(tx, [start.position, stop], before, folding, writes);
  writes.contexts.push(...folding.contexts);
  const refused = new Map([...folding.refused].map(([{ position }, reason]) => [position, reason]));
  if (next !== null) {
    writes.marks.push({ ...session, recomputeFrom: next });
    return refused;
  }
  writeChains(folding, chains, writes);
  const isEndKnown = folding.endedAt !== undefined || !folding.state.ended;
  const isOpened = session.recomputeFrom !== null || rows.some(({ item }) => item.type === 'session_start');
  writeSession(writes, session, folding, {
    ...describe(session, isOpened ? await readStarts(tx, id) : []),
    startedAt: (start.position === 0 ? folding.startedAt : null) ?? session.startedAt,
    endedAt: isEndKnown ? (folding.endedAt ?? null) : await readLastEnd(tx, id, start.position),
    itemsSinceCheckpoint: refolder.sinceCheckpoint,
  });
  return refused;
}

/** @returns the position of the last row */
async function foldRows(refolder: Refolder, rows: readonly StoredItem[]): Promise<number> {
  const { task, start, folding } = refolder;
  const { writes, session, from } = task;
  const sessionId = session.id;
  let previous = start.position;
  for (const [index, placed] of rows.entries()) {
    const { position } = placed;
    if (previous < from && position >= from && index > NEAR_CHECKPOINT_AFTER) {
      writes.removedCheckpoints.push({ sessionId, position: from, near: true });
      await keepCheckpoint(refolder, previous, true);
    }
    const { stored, derived } = folding.fold(placed);
    if (folding.correction) break;
    const refusal = folding.refused.get(placed);
    if (refusal && stored.callKey === null) {
      writes.removedTurns.push({ sessionId, position });
      if (placed.callKey !== null) writeRefuted(writes, sessionId, placed, null);
      writes.reports.push(reportRow(sessionId, stored));
      noteDelivery(writes, placed, DELIVERY_OUTCOME.refused, refusal);
    } else if (placed.callKey !== null) {
      const row = turnRow(placed, placed.row, derived);
      if (DERIVED.some((name) => row[name] !== placed.row[name])) writes.derivedTurns.push(row);
      writeRefuted(writes, sessionId, placed, derived);
    }
    refolder.sinceCheckpoint += 1;
    // Other work of the process must not wait for a whole slice.
    if (index % YIELD_EVERY === 0) await nextTurn();
    if (refolder.sinceCheckpoint === CHECKPOINT_EVERY) await keepCheckpoint(refolder, position, false);
    previous = position;
  }
  return previous;
}

/** Write a changed statement, or delete the statement of a call to which its own limit applies again. */
function writeRefuted(
  writes: WriteSet,
  sessionId: number,
  placed: StoredItem & { callKey: string },
  derived: DerivedTurn | null,
): void {
  const { callKey, row } = placed;
  const refuted = refutedLimit(placed, sessionId, derived);
  if (refuted === null) {
    if (row.refuted) writes.removedRefutedLimits.push({ sessionId, callKey });
  } else if (row.refuted?.limitTokens !== refuted.limitTokens || row.refuted.source !== refuted.source) {
    writes.refutedLimits.push(refuted);
  }
}

async function keepCheckpoint(refolder: Refolder, position: number, near: boolean): Promise<void> {
  const { folding, task } = refolder;
  await extendTo(refolder);
  const fold = structuredClone(folding.state);
  const edge = refolder.pyramid && structuredClone(refolder.pyramid.edge);
  task.writes.checkpoints.push({ sessionId: task.session.id, position, fold, edge, near });
  if (!near) refolder.sinceCheckpoint = 0;
}

/** Extend the pyramid by the folded turns, once the main chain is long enough. */
async function extendTo(refolder: Refolder): Promise<void> {
  const { folding, task, start } = refolder;
  const turnCount = folding.state.chains[MAIN_CHAIN]?.turnCount ?? 0;
  if (!refolder.pyramid && turnCount > PYRAMID_MIN_TURNS) {
    refolder.pyramid = await buildPyramid(task.tx, task.session.id, start.position);
    refolder.firstNumber = 0;
  }
  if (!refolder.pyramid) return;
  extendPyramid(refolder.pyramid, folding.points?.splice(0) ?? []);
}

/** Write the final state of chains and open contexts. */
function writeChains(folding: Folding, stored: ReadonlyMap<string, StoredChain>, writes: WriteSet): void {
  const { sessionId } = folding;
  const { chains } = folding.state;
  for (const [key, fold] of Object.entries<ChainFold>(chains)) {
    const before = stored.get(key);
    // Only the main chain may lack a row.
    const chain = before?.chain ?? 0;
    writes.removedContexts.push({ sessionId, chain, index: fold.context.index });
    writes.contexts.push(contextRow(sessionId, chain, fold.context, fold.limit.tokens));
    if (!before || !isDeepStrictEqual(before.fold, fold)) writes.chains.push({ sessionId, chain, key, fold });
  }
  for (const [key, { chain }] of stored) {
    if (Object.hasOwn(chains, key)) continue;
    // All items of the chain moved to other chains.
    writes.removedContexts.push({ sessionId, chain, index: -1 });
    writes.removedChains.push({ sessionId, chain });
  }
}

/**
 * Raise the revision of changed events, and retract events that the fold no longer produces.
 * `start`: the state before the folded items. The items may amend the details of compactions in this state.
 */
async function writeEventChanges(
  tx: postgres.TransactionSql,
  [after, through]: readonly [number, number],
  start: SessionFold,
  { sessionId, events: folded, amends }: Folding,
  writes: WriteSet,
): Promise<void> {
  const nameOf = ({ cause, kind }: { cause: string; kind: string }) => `${cause} ${kind}`;
  const rows = await tx<Row<typeof events>[]>`
    select ${tx.unsafe(EVENTS)} from events e
    where session_id = ${sessionId} and position > ${after} and position <= ${through} and rank < ${STORE_RANK}`;
  const stored = new Map(rows.map((row) => [nameOf(row), row]));
  for (const event of folded) {
    const before = stored.get(nameOf(event));
    stored.delete(nameOf(event));
    if (!before || !isSame(before, event)) writes.events.push(event);
  }
  for (const { position, cause, kind, retracted } of stored.values()) {
    if (!retracted) writes.retractedEvents.push({ sessionId, position, cause, kind });
  }
  const amendments = new Map<string, EventAmendment>();
  for (const chain of Object.values(start.chains)) {
    for (const { position, detail } of chain.compactions) {
      amendments.set(`${position} compaction`, { sessionId, position, kind: 'compaction', detail });
    }
  }
  for (const [name, amendment] of amends) amendments.set(name, amendment);
  writes.amendedEvents.push(...amendments.values());
}

const EVENTS = columnsText(events, 'e');

function isSame({ revision: _, retracted, ...before }: Row<typeof events>, after: EventRow): boolean {
  return !retracted && isDeepStrictEqual(before, JSON.parse(JSON.stringify(after)));
}

async function readStarts(tx: postgres.TransactionSql, sessionId: number): Promise<PlacedReport[]> {
  const rows = await tx<StoredReport[]>`
    select ${tx.unsafe(REPORTS)} from reports r
    where session_id = ${sessionId} and item->>'type' = 'session_start' order by position`;
  return rows.map(placedReport);
}

/** Last end of the session up to a position; null: no end. */
async function readLastEnd(
  tx: postgres.TransactionSql,
  sessionId: number,
  position: number,
): Promise<number | null> {
  const [row] = await tx<{ at: number }[]>`
    select ${tx.unsafe(milliseconds('at'))} as at from events
    where session_id = ${sessionId} and position <= ${position} and kind = 'session_ended' and not retracted
    order by position desc limit 1`;
  return row?.at ?? null;
}
