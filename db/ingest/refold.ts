/**
 * Folds a session again from a position, from its stored rows: after late items, amended calls, another owner, an
 * adoption. Every such change writes its rows first, without what follows from them, and then comes here. A session
 * whose rest is long is folded in slices by a worker; until then it shows `recomputing`, and new items wait unfolded.
 */
import { isDeepStrictEqual } from 'node:util';
import type postgres from 'postgres';
import { emptySessionFold, MAIN_CHAIN } from '../../core/accounting/empty-fold';
import type { SessionFold } from '../../core/accounting/fold-types';
import type { Thresholds } from '../../core/accounting/types';
import type { Item } from '../../core/protocol/items';
import { type Edge, PYRAMID_MIN_TURNS } from '../../core/series/pyramid';
import { unpackClock, unpackSource } from '../codes/turn-bits';
import { notifySessions } from '../notify-sessions';
import { projectThresholds } from '../queries/project-settings';
import { reports } from '../schema/events';
import { type Row, selectColumns } from '../tables';
import { transact } from '../transact';
import { isDerivedSame, placedCall, type StoredTurn, storedTurn, type TurnRow, turnRow } from './columns';
import {
  beginFolding,
  closedContextRow,
  type Description,
  describe,
  type Folding,
  foldPlaced,
  openContextRow,
  reportRow,
  writeSession,
} from './fold';
import { lockedSession } from './lock';
import { buildPyramid, extendPyramid, type Pyramid, writePyramid } from './pyramid';
import { writeEventChanges } from './refold-events';
import {
  DELIVERY_OUTCOME,
  deliveryKey,
  isCall,
  type LockedSession,
  type PlacedItem,
  type Refused,
  type StoredChain,
  type TouchedSession,
} from './types';
import { flushWrites, newWriteSet, type WriteSet } from './write';

/** Items that are folded again in one transaction; a longer rest is folded in slices. */
const REFOLD_LIMIT = 10_000;
/** Items between two checkpoints. */
export const CHECKPOINT_EVERY = 2_000;
/** A recomputation that began so many items before what changed leaves a checkpoint right before it. */
const NEAR_CHECKPOINT_AFTER = 64;

export interface RefoldTask {
  tx: postgres.TransactionSql;
  writes: WriteSet;
  session: LockedSession;
  project: string;
  thresholds: Thresholds;
  /** Position of the first item that changed. */
  from: number;
  /** The session's columns after the change. `recomputeFrom`: the current one. */
  mark: Omit<WriteSet['marks'][number], 'id'>;
  /** Whether session_start items may have changed. */
  isDescribed: boolean;
}

/**
 * Fold a session again from a position, or leave it to the worker where the rest is long.
 *
 * @returns calls that made a sum too large, by delivery key
 */
export async function refoldSession(task: RefoldTask): Promise<Map<string, Refused>> {
  const { tx, writes, session, mark } = task;
  const from = Math.min(task.from, mark.recomputeFrom ?? Number.MAX_SAFE_INTEGER);
  if (mark.recomputeFrom === null && (await countRows(tx, session.id, from)) < REFOLD_LIMIT) {
    return refoldSlice({ ...task, from });
  }
  writes.marks.push({ id: session.id, ...mark, recomputeFrom: from });
  return new Map();
}

/**
 * Fold one slice of one session that waits for it. Any number of processes may call it: each takes another session.
 *
 * @returns the session it worked on; null: none waits (or others work on those that do)
 */
export async function continueRecomputing(sql: postgres.Sql): Promise<TouchedSession | null> {
  return transact(sql, async (tx) => {
    const [session] = await tx<LockedSession[]>`
      select ${lockedSession(tx)} from sessions
      where recompute_from is not null order by changed_at limit 1 for update skip locked`;
    if (!session) return null;
    const { id, publicId, owner, sources, lastPosition, chainCount, recomputeFrom, lastActivityAt } = session;
    const [project] = await tx<{ name: string; settings: unknown }[]>`
      select name, settings from projects where id = ${session.projectId}`;
    const writes = newWriteSet();
    const version = session.version + 1;
    await refoldSlice({
      tx,
      writes,
      session,
      project: project?.name ?? '',
      thresholds: projectThresholds(project?.settings),
      from: recomputeFrom ?? 0,
      mark: { owner, sources, lastPosition, chainCount, recomputeFrom, lastActivityAt, version },
      isDescribed: true,
    });
    await flushWrites(tx, writes);
    const touched = { id, publicId, version };
    await notifySessions(tx, [touched]);
    return touched;
  });
}

/** Fold at most `REFOLD_LIMIT` items again; the worker continues where more follow. */
async function refoldSlice(task: RefoldTask): Promise<Map<string, Refused>> {
  const { tx, writes, session, mark, thresholds } = task;
  const folded = await refold(task);
  if (folded.next !== null) {
    writes.marks.push({ id: session.id, ...mark, recomputeFrom: folded.next });
    return folded.refused;
  }
  const { state, folding, start } = folded;
  const isEndKnown = folding.endedAt !== undefined || !state.ended;
  writeSession(
    writes,
    session,
    { id: session.id, ...mark, recomputeFrom: null },
    {
      state,
      thresholds,
      description: task.isDescribed ? await readDescription(task) : session,
      startedAt: (start.position === 0 ? folding.startedAt : null) ?? session.startedAt,
      endedAt: isEndKnown ? (folding.endedAt ?? null) : await readLastEnd(tx, session.id, start.position),
      itemsSinceCheckpoint: folded.sinceCheckpoint,
    },
  );
  return folded.refused;
}

/** Where folding begins: a checkpoint, or nothing before the first item (position 0). */
interface Start {
  position: number;
  fold: SessionFold;
  edge: Edge | null;
}

interface Refolder {
  task: RefoldTask;
  start: Start;
  folding: Folding;
  /** Null while the main chain is too short for one. */
  pyramid: Pyramid | null;
  /** Points that the pyramid has already. */
  pointsDone: number;
  /** Turns of the main chain before the first item. */
  firstNumber: number;
  sinceCheckpoint: number;
  refused: Map<string, Refused>;
}

async function refold(task: RefoldTask) {
  const { tx, writes, session, from } = task;
  const sessionId = session.id;
  const start = await readStart(tx, sessionId, from);
  const chains = await readChains(tx, sessionId);
  const { rows, next } = await readRows(tx, sessionId, start.position);
  const before = structuredClone(start.fold);
  const refolder: Refolder = {
    task,
    start,
    folding: beginFolding(start.fold, task.thresholds, task.mark.owner),
    pyramid: start.edge && { completed: [], edge: start.edge },
    pointsDone: 0,
    firstNumber: before.chains[MAIN_CHAIN]?.turnCount ?? 0,
    sinceCheckpoint: 0,
    refused: new Map(),
  };
  writes.removedCheckpoints.push({ sessionId, position: from, near: false });
  const last = await foldRows(refolder, rows);
  if (next !== null && refolder.sinceCheckpoint > 0) await keepCheckpoint(refolder, last, false);
  const hadPyramid = (chains.get(MAIN_CHAIN)?.fold.turnCount ?? 0) > PYRAMID_MIN_TURNS;
  await finishPyramid(refolder, hadPyramid);
  const range = { after: start.position, through: next === null ? null : last };
  const numberOf = (key: string) => chains.get(key)?.chain ?? 0;
  await writeEventChanges(tx, sessionId, range, before, refolder.folding, numberOf, writes);
  writeChains(refolder, chains, next === null);
  const { folding, sinceCheckpoint, refused } = refolder;
  return { state: folding.state, folding, start, sinceCheckpoint, next, refused };
}

/** @returns the position of the last row */
async function foldRows(refolder: Refolder, rows: readonly StoredItem[]): Promise<number> {
  const { task, start } = refolder;
  const { writes, session, from } = task;
  let previous = start.position;
  for (const [index, row] of rows.entries()) {
    const { position } = row.placed;
    if (previous < from && position >= from && index > NEAR_CHECKPOINT_AFTER) {
      writes.removedCheckpoints.push({ sessionId: session.id, position: from, near: true });
      await keepCheckpoint(refolder, previous, true);
    }
    refoldRow(refolder, row);
    refolder.sinceCheckpoint += 1;
    if (refolder.sinceCheckpoint === CHECKPOINT_EVERY) await keepCheckpoint(refolder, position, false);
    previous = position;
  }
  return previous;
}

function refoldRow({ folding, task, refused }: Refolder, { placed, row }: StoredItem): void {
  const { writes, session } = task;
  const folded = foldPlaced(folding, placed);
  if (!folded.ok) {
    const { streamId, seq, hash, serverTime: receivedAt, position } = placed;
    writes.removedTurns.push({ sessionId: session.id, position });
    writes.reports.push(reportRow(session.id, folded.gap));
    const outcome = DELIVERY_OUTCOME.refused;
    writes.deliveries.push({ streamId, seq, hash, outcome, refusal: folded.refused, receivedAt });
    refused.set(deliveryKey(streamId, seq), folded.refused);
  } else if (row && isCall(placed)) {
    const derived = turnRow(placed, row, folded.turn);
    if (!isDerivedSame(row, derived)) writes.derivedTurns.push(derived);
  }
}

async function keepCheckpoint(refolder: Refolder, position: number, near: boolean): Promise<void> {
  const { folding, task } = refolder;
  await extendTo(refolder);
  task.writes.checkpoints.push({
    sessionId: task.session.id,
    position,
    fold: structuredClone(folding.state),
    edge: refolder.pyramid && structuredClone(refolder.pyramid.edge),
    near,
  });
  if (!near) refolder.sinceCheckpoint = 0;
}

/** Carry the pyramid as far as the folding has come, once the main chain is long enough for one. */
async function extendTo(refolder: Refolder): Promise<void> {
  const { folding, task, start } = refolder;
  const turnCount = folding.state.chains[MAIN_CHAIN]?.turnCount ?? 0;
  if (!refolder.pyramid && turnCount > PYRAMID_MIN_TURNS) {
    refolder.pyramid =
      start.position === 0
        ? { completed: [], edge: [] }
        : await buildPyramid(task.tx, task.session.id, start.position);
    refolder.firstNumber = 0;
  }
  if (!refolder.pyramid) return;
  extendPyramid(refolder.pyramid, folding.points.slice(refolder.pointsDone));
  refolder.pointsDone = folding.points.length;
}

async function finishPyramid(refolder: Refolder, hadPyramid: boolean): Promise<void> {
  const { writes, session } = refolder.task;
  await extendTo(refolder);
  const { pyramid, firstNumber } = refolder;
  if (pyramid || hadPyramid) {
    writes.removedBuckets.push({ sessionId: session.id, number: pyramid ? firstNumber : 0 });
  }
  if (pyramid) writePyramid(writes, session.id, pyramid);
}

/** Chains and contexts as they came out; with `isComplete`, as they are at the session's end. */
function writeChains(
  { folding, task }: Refolder,
  stored: ReadonlyMap<string, StoredChain>,
  isComplete: boolean,
): void {
  const { writes, session } = task;
  const sessionId = session.id;
  for (const closed of folding.closed) {
    writes.contexts.push(closedContextRow(sessionId, stored.get(closed.chain)?.chain ?? 0, closed));
  }
  if (!isComplete) return;
  const { chains } = folding.state;
  for (const [key, fold] of Object.entries(chains)) {
    const before = stored.get(key);
    // Every other chain got its row with the first item that named it.
    const chain = before?.chain ?? 0;
    writes.removedContexts.push({ sessionId, chain, last: fold.context.index });
    writes.contexts.push(openContextRow(sessionId, chain, fold));
    if (!before || !isDeepStrictEqual(before.fold, fold)) writes.chains.push({ sessionId, chain, key, fold });
  }
  for (const [key, { chain }] of stored) {
    if (Object.hasOwn(chains, key)) continue;
    // All its items moved to other chains.
    writes.removedContexts.push({ sessionId, chain, last: -1 });
    writes.removedChains.push({ sessionId, chain });
  }
}

async function readStart(tx: postgres.TransactionSql, sessionId: number, from: number): Promise<Start> {
  const [row] = await tx<Start[]>`
    select position, fold, edge from checkpoints
    where session_id = ${sessionId} and position < ${from}
    order by position desc limit 1`;
  return row ?? { position: 0, fold: emptySessionFold(), edge: null };
}

async function readChains(tx: postgres.TransactionSql, sessionId: number): Promise<Map<string, StoredChain>> {
  const rows = await tx<StoredChain[]>`select chain, key, fold from chains where session_id = ${sessionId}`;
  return new Map(rows.map((row) => [row.key, row]));
}

/** A stored item; `row` for calls. */
interface StoredItem {
  placed: PlacedItem;
  row: TurnRow | null;
}

/** At most `REFOLD_LIMIT` items behind a position, ascending; and the position of the next one (null: none). */
async function readRows(
  tx: postgres.TransactionSql,
  sessionId: number,
  after: number,
): Promise<{ rows: StoredItem[]; next: number | null }> {
  const limit = REFOLD_LIMIT + 1;
  const turnRows = tx<StoredTurn[]>`
    select ${storedTurn(tx)} from turns t where t.session_id = ${sessionId} and t.position > ${after}
    order by t.position limit ${limit}`;
  const reportRows = tx<Row<typeof reports>[]>`
    select ${selectColumns(tx, reports, 'r')} from reports r where session_id = ${sessionId} and position > ${after}
    order by position limit ${limit}`;
  const calls = (await turnRows).map((row): StoredItem => ({ placed: placedCall(row), row }));
  const others = (await reportRows).map((row): StoredItem => ({ placed: placedReport(row), row: null }));
  const rows = [...calls, ...others].sort((a, b) => a.placed.position - b.placed.position);
  return { rows: rows.slice(0, REFOLD_LIMIT), next: rows[REFOLD_LIMIT]?.placed.position ?? null };
}

function placedReport(row: Row<typeof reports>): PlacedItem {
  const { position, streamId, seq, hash, runnerTime, serverTime, bits } = row;
  return {
    position,
    streamId,
    seq,
    hash,
    callKey: null,
    source: unpackSource(bits),
    runnerTime,
    serverTime,
    clock: unpackClock(bits),
    // What a row holds was a valid item when it was written.
    item: { ...(row.item as Item), seq: Math.abs(seq), session: '-', at: runnerTime },
    arrivals: [],
  };
}

/** How many items follow from a position on, counted no further than `REFOLD_LIMIT`. */
async function countRows(tx: postgres.TransactionSql, sessionId: number, from: number): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from (
      (select 1 from turns where session_id = ${sessionId} and position >= ${from} limit ${REFOLD_LIMIT})
      union all
      (select 1 from reports where session_id = ${sessionId} and position >= ${from} limit ${REFOLD_LIMIT})
    ) x`;
  return row?.count ?? 0;
}

/** What the stored session_start items state, in their order. */
async function readDescription({ tx, session, project }: RefoldTask) {
  const rows = await tx<{ item: Item }[]>`
    select item from reports where session_id = ${session.id} and item->>'type' = 'session_start' order by position`;
  return rows.reduce<Description>((before, { item }) => describe(before, item, project), session);
}

/** When the session last ended at or before a position; null: it did not. */
async function readLastEnd(
  tx: postgres.TransactionSql,
  sessionId: number,
  position: number,
): Promise<number | null> {
  const [row] = await tx<{ at: number }[]>`
    select (extract(epoch from at) * 1000)::float8 as at from events
    where session_id = ${sessionId} and position <= ${position} and kind = 'session_ended' and not retracted
    order by position desc limit 1`;
  return row?.at ?? null;
}
