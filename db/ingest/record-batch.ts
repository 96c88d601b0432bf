/** Records one batch in one transaction: create sessions, lock, recognise, place, fold, write, notify. */
import type postgres from 'postgres';
import { PYRAMID_MIN_TURNS } from '../../core/series/pyramid';
import { notifySessions } from '../notify-sessions';
import { markCopies, settleClaims } from './aliases';
import { type FoldedTail, foldTail, writeLate } from './fold';
import { type BatchInput, openBatch } from './lock';
import { createSessions } from './names';
import { placeItems } from './place';
import { recogniseItems } from './recognise';
import { finishTail, refoldLate } from './refold';
import {
  type Arrival,
  type ItemOutcome,
  KEPT_COMPOSITIONS,
  type SessionPlan,
  type TouchedSession,
} from './types';
import { flushWrites, refusePlaced, writeSeqs } from './write';

export interface RecordedBatch {
  outcomes: Map<Arrival, ItemOutcome>;
  touched: TouchedSession[];
  created: Map<string, number>;
}

/** Record a batch. Rows are written first, because pyramids, checkpoints and refolds read them. */
export async function recordBatch(tx: postgres.TransactionSql, input: BatchInput): Promise<RecordedBatch> {
  const created = await createSessions(tx, input.unknown, input.now);
  const { batch, plans: opened, holders } = await openBatch(tx, input, created);
  const { writes } = batch;
  const plans = opened.filter((plan) => recogniseItems(batch, plan));
  const tails: FoldedTail[] = [];
  const late = new Map<SessionPlan, number>();
  for (const plan of plans) {
    const placedFrom = await placeItems(tx, plan);
    const tail = plan.isLate ? placedFrom : foldTail(batch, plan);
    if (typeof tail === 'number') late.set(plan, writeLate(batch, plan, tail));
    else tails.push(tail);
  }
  writeSeqs(batch, plans);
  await flushWrites(tx, writes);

  for (const tail of tails) {
    for (const [placed, refused] of tail.folding.refused) refusePlaced(batch, placed, refused);
    if (tail.turnCount > PYRAMID_MIN_TURNS || tail.needsCheckpoint) await finishTail(batch, tail);
  }
  for (const [plan, from] of late) await refoldLate(batch, plan, from);
  for (const { session, compositions } of plans) {
    if (compositions.size === 0) continue;
    writes.oldCompositions.push({ sessionId: session.id, kept: KEPT_COMPOSITIONS });
    writes.compositionMarks.push({ sessionId: session.id });
  }
  await flushWrites(tx, writes);
  const touched = new Map<number, TouchedSession>();
  for (const { next } of plans)
    touched.set(next.id, { id: next.id, publicId: next.publicId, version: next.version });
  for (const plan of plans) {
    for (const each of await markCopies(batch, plan)) touched.set(each.id, each);
    for (const each of await settleClaims(batch, plan, holders)) touched.set(each.id, each);
  }
  await notifySessions(tx, [...touched.values()]);
  return { outcomes: batch.outcomes, touched: [...touched.values()], created };
}
