/**
 * Everything a batch writes, gathered per table, so that each table costs one statement however many sessions
 * the batch touches. The statements travel together and run in the order of `flushWrites`.
 */
import type postgres from 'postgres';
import { writeNotices } from '../transcripts/write-notices';
import { type CallColumns, insertCalls, newCallColumns } from './call-columns';
import { historyChangesOf } from './history-changes';
import * as statements from './write-statements';

type Rows = statements.Row[];

export interface WriteSet {
  removedCalls: Rows;
  calls: CallColumns;
  changedCalls: Rows;
  derived: Rows;
  reports: Rows;
  deliveries: Rows;
  received: Rows;
  maxSeqs: Rows;
  chains: Rows;
  removedChains: Rows;
  contexts: Rows;
  removedContexts: Rows;
  events: Rows;
  amendedEvents: Rows;
  retractedEvents: Rows;
  removedCheckpoints: Rows;
  checkpoints: Rows;
  removedBuckets: Rows;
  buckets: Rows;
  archives: Rows;
  compositions: Rows;
  oldCompositions: Rows;
  sessions: Rows;
  marks: Rows;
  compositionMarks: Rows;
  /** Beyond what the other rows say: a session is to be counted anew from a position. */
  historyChanges: Rows;
}

export function newWriteSet(): WriteSet {
  return {
    removedCalls: [],
    calls: newCallColumns(),
    changedCalls: [],
    derived: [],
    reports: [],
    deliveries: [],
    received: [],
    maxSeqs: [],
    chains: [],
    removedChains: [],
    contexts: [],
    removedContexts: [],
    events: [],
    amendedEvents: [],
    retractedEvents: [],
    removedCheckpoints: [],
    checkpoints: [],
    removedBuckets: [],
    buckets: [],
    archives: [],
    compositions: [],
    oldCompositions: [],
    sessions: [],
    marks: [],
    compositionMarks: [],
    historyChanges: [],
  };
}

const IN_ORDER: [Exclude<keyof WriteSet, 'calls' | 'historyChanges'>, statements.Write][] = [
  ['changedCalls', statements.updateCalls],
  ['derived', statements.updateDerived],
  ['reports', statements.insertReports],
  ['deliveries', statements.insertDeliveries],
  ['received', statements.addReceived],
  ['maxSeqs', statements.raiseMaxSeqs],
  ['chains', statements.upsertChains],
  ['removedChains', statements.removeChains],
  ['removedContexts', statements.removeContexts],
  ['contexts', statements.upsertContexts],
  ['events', statements.upsertEvents],
  ['amendedEvents', statements.amendEvents],
  ['retractedEvents', statements.retractEvents],
  ['removedCheckpoints', statements.removeCheckpoints],
  ['checkpoints', statements.insertCheckpoints],
  ['removedBuckets', statements.removeBuckets],
  ['buckets', statements.upsertBuckets],
  ['archives', writeNotices],
  ['compositions', statements.upsertCompositions],
  ['oldCompositions', statements.removeOldCompositions],
  ['sessions', statements.updateSessions],
  ['marks', statements.markSessions],
  ['compositionMarks', statements.markCompositions],
];

export async function flushWrites(tx: postgres.TransactionSql, set: WriteSet): Promise<void> {
  const first: Promise<unknown>[] = [];
  // A call that moves gives up its key before it takes it again.
  if (set.removedCalls.length > 0) first.push(statements.removeCalls(tx, set.removedCalls));
  if (set.calls.length > 0) first.push(insertCalls(tx, set.calls));
  const others = IN_ORDER.filter(([table]) => set[table].length > 0).map(([table, write]) =>
    write(tx, set[table]),
  );
  const changes = historyChangesOf(set);
  if (changes.length > 0) others.push(statements.insertHistoryChanges(tx, changes));
  await Promise.all([...first, ...others]);
}
