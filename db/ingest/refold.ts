/**
 * Folds a session again from the last checkpoint before a position: after a late item, an amendment, a change of
 * owner. Reads the stored rows and writes what came out differently; the result is the same as if everything had
 * arrived in order, because it is the same fold over the same rows.
 */
import { isDeepStrictEqual } from 'node:util';
import type postgres from 'postgres';
import { MAIN_CHAIN } from '../../core/accounting/empty-fold';
import { emptySessionFold } from '../../core/accounting/fold';
import type { SessionFold } from '../../core/accounting/fold-types';
import type { Thresholds } from '../../core/accounting/types';
import { type Edge, PYRAMID_MIN_TURNS } from '../../core/series/pyramid';
import { sourceOf } from '../codes/sources';
import { deliveryKey } from './arrivals';
import { isDerivedSame } from './call-row';
import { diffEvents, readLastEnd } from './diff-events';
import { beginFolding, type Folding, foldCall, foldReport, gapForCall } from './fold-items';
import type { StoredChain } from './lock-batch';
import { buildPyramid, extendPyramid, type Pyramid } from './pyramid-rows';
import { readRows, type StoredRow } from './read-rows';
import {
  bucketRow,
  closedContextRow,
  deliveryRow,
  derivedRow,
  openContextRow,
  type Place,
  reportRow,
} from './rows';
import { DELIVERY_OUTCOME } from './session-plan';
import type { Refused } from './types';
import type { WriteSet } from './write-set';

/** Items that are folded again in one transaction; a longer tail is folded in slices. */
export const REFOLD_LIMIT = 10_000;
/** Items between two checkpoints. */
export const CHECKPOINT_EVERY = 2_000;
/** A recomputation that began so many items before what changed leaves a checkpoint right before it. */
const NEAR_CHECKPOINT_AFTER = 64;

export interface RefoldTask extends Place {
  /** Position of the first item that changed. */
  from: number;
  thresholds: Thresholds;
  /** Code of the best source that reported calls. */
  owner: number;
}

export interface Refolded {
  state: SessionFold;
  /** Null: as it was, for the folding began behind the first item. */
  startedAt: number | null;
  endedAt: number | null;
  itemsSinceCheckpoint: number;
  /** Position of the first item that is still to be folded; null: none. */
  next: number | null;
  /** Calls that made a sum too large, by delivery key: a gap stands in the place of each. */
  refused: Map<string, Refused>;
}

interface Start {
  /** 0: the beginning. */
  position: number;
  state: SessionFold;
  edge: Edge | null;
}

/** Folds at most `REFOLD_LIMIT` items again and puts what changed into `writes`. */
export async function refold(
  tx: postgres.TransactionSql,
  task: RefoldTask,
  writes: WriteSet,
): Promise<Refolded> {
  const start = await readStart(tx, task);
  const chains = await readAllChains(tx, task);
  const { rows, next } = await readRows(tx, task, start.position, REFOLD_LIMIT);
  const before = structuredClone(start.state);
  const folding = beginFolding(start.state, { thresholds: task.thresholds, owner: sourceOf(task.owner) });
  const refolder: Refolder = {
    tx,
    task,
    writes,
    folding,
    pyramid: start.edge && { completed: [], edge: start.edge },
    startPosition: start.position,
    pointsDone: 0,
    firstNumber: before.chains[MAIN_CHAIN]?.turnCount ?? 0,
    refused: new Map(),
  };
  writes.removedCheckpoints.push({ m: task.month, s: task.id, p: task.from, near: false });

  let sinceCheckpoint = 0;
  let previous = start.position;
  for (const [index, row] of rows.entries()) {
    const { position } = row.record;
    if (previous < task.from && position >= task.from && index > NEAR_CHECKPOINT_AFTER) {
      writes.removedCheckpoints.push({ m: task.month, s: task.id, p: task.from, near: true });
      await keepCheckpoint(refolder, previous, true);
    }
    foldRow(refolder, row);
    sinceCheckpoint += 1;
    if (sinceCheckpoint === CHECKPOINT_EVERY) {
      await keepCheckpoint(refolder, position, false);
      sinceCheckpoint = 0;
    }
    previous = position;
  }
  if (next !== null && sinceCheckpoint > 0) {
    await keepCheckpoint(refolder, previous, false);
    sinceCheckpoint = 0;
  }

  await finishPyramid(refolder, (chains.get(MAIN_CHAIN)?.fold.turnCount ?? 0) > PYRAMID_MIN_TURNS);
  const through = next === null ? null : previous;
  const numberOf = (key: string) => chains.get(key)?.chain ?? 0;
  await diffEvents(tx, task, { after: start.position, through }, before, folding, numberOf, writes);
  writeChains(task, folding, chains, next === null, writes);
  const isEndSaid = folding.endedAt !== undefined || !folding.state.ended;
  return {
    state: folding.state,
    startedAt: start.position === 0 ? folding.startedAt : null,
    endedAt: isEndSaid ? (folding.endedAt ?? null) : await readLastEnd(tx, task, start.position),
    itemsSinceCheckpoint: sinceCheckpoint,
    next,
    refused: refolder.refused,
  };
}

interface Refolder {
  tx: postgres.TransactionSql;
  task: RefoldTask;
  writes: WriteSet;
  folding: Folding;
  /** Null while the main chain is too short for one. */
  pyramid: Pyramid | null;
  startPosition: number;
  /** Points that the pyramid has already. */
  pointsDone: number;
  /** Turns of the main chain before the first item. */
  firstNumber: number;
  refused: Map<string, Refused>;
}

async function readStart(tx: postgres.TransactionSql, task: RefoldTask): Promise<Start> {
  const [row] = await tx<{ position: number; fold: SessionFold; edge: Edge | null }[]>`
    select position, fold, edge from checkpoints
    where month = ${task.month} and session_id = ${task.id} and position < ${task.from}
    order by position desc limit 1`;
  if (!row) return { position: 0, state: emptySessionFold(), edge: null };
  return { position: row.position, state: row.fold, edge: row.edge };
}

async function readAllChains(
  tx: postgres.TransactionSql,
  { id, month }: Place,
): Promise<Map<string, StoredChain>> {
  const rows = await tx<StoredChain[]>`
    select chain, key, fold from chains where month = ${month} and session_id = ${id}`;
  return new Map(rows.map((row) => [row.key, row]));
}

function foldRow({ folding, task, writes, refused: allRefused }: Refolder, row: StoredRow): void {
  if (row.kind === 'report') {
    foldReport(folding, row.record);
    return;
  }
  const { record } = row;
  const folded = foldCall(folding, record);
  if (folded.ok) {
    if (!isDerivedSame(folded.columns, row.columns)) {
      writes.derived.push(derivedRow(task, record.position, folded.columns));
    }
    return;
  }
  const gap = gapForCall(record, folded.refused);
  foldReport(folding, gap);
  writes.removedCalls.push({ m: task.month, s: task.id, p: record.position });
  writes.reports.push(reportRow(task, gap));
  const { streamId, seq, hash, serverTime: receivedAt } = record;
  const outcome = DELIVERY_OUTCOME.refused;
  writes.deliveries.push(deliveryRow({ streamId, seq, hash, outcome, refusal: folded.refused, receivedAt }));
  allRefused.set(deliveryKey(streamId, seq), folded.refused);
}

async function keepCheckpoint(refolder: Refolder, position: number, near: boolean): Promise<void> {
  const { folding, task, writes } = refolder;
  await bringPyramid(refolder);
  writes.checkpoints.push({
    m: task.month,
    s: task.id,
    p: position,
    f: structuredClone(folding.state),
    e: refolder.pyramid ? structuredClone(refolder.pyramid.edge) : null,
    near,
  });
}

/** Carries the pyramid as far as the folding has come, once the main chain is long enough for one. */
async function bringPyramid(refolder: Refolder): Promise<void> {
  const { folding, tx, task, startPosition } = refolder;
  const turnCount = folding.state.chains[MAIN_CHAIN]?.turnCount ?? 0;
  if (!refolder.pyramid && turnCount > PYRAMID_MIN_TURNS) {
    refolder.pyramid =
      startPosition === 0 ? { completed: [], edge: [] } : await buildPyramid(tx, task, startPosition);
    refolder.firstNumber = 0;
  }
  if (!refolder.pyramid) return;
  extendPyramid(refolder.pyramid, folding.points.slice(refolder.pointsDone));
  refolder.pointsDone = folding.points.length;
}

async function finishPyramid(refolder: Refolder, hadPyramid: boolean): Promise<void> {
  const { task, writes } = refolder;
  await bringPyramid(refolder);
  if (!refolder.pyramid) {
    if (hadPyramid) writes.removedBuckets.push({ m: task.month, s: task.id, n: 0 });
    return;
  }
  const { completed, edge } = refolder.pyramid;
  writes.removedBuckets.push({ m: task.month, s: task.id, n: refolder.firstNumber });
  writes.buckets.push(...[...completed, ...edge].map((bucket) => bucketRow(task, bucket)));
}

/** Chains and contexts as they came out; with `isComplete`, as they stand at the session's end. */
function writeChains(
  task: RefoldTask,
  folding: Folding,
  stored: ReadonlyMap<string, StoredChain>,
  isComplete: boolean,
  writes: WriteSet,
): void {
  const place = { m: task.month, s: task.id };
  for (const closed of folding.closed) {
    writes.contexts.push(closedContextRow(task, stored.get(closed.chain)?.chain ?? 0, closed));
  }
  if (!isComplete) return;
  const { chains } = folding.state;
  for (const [key, fold] of Object.entries(chains)) {
    const before = stored.get(key);
    // Every other chain got its row with the first item that named it.
    const chain = before?.chain ?? 0;
    writes.removedContexts.push({ ...place, c: chain, x: fold.context.index });
    writes.contexts.push(openContextRow(task, chain, fold));
    if (!before || !isDeepStrictEqual(before.fold, fold))
      writes.chains.push({ ...place, c: chain, k: key, f: fold });
  }
  for (const [key, { chain }] of stored) {
    if (Object.hasOwn(chains, key)) continue;
    // Its items all went elsewhere: as if it had never been.
    writes.removedContexts.push({ ...place, c: chain, x: -1 });
    writes.removedChains.push({ ...place, c: chain });
  }
}
