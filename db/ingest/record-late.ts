/**
 * Sessions where something changed before their end: late items, amended calls, another owner. The rows are stored
 * first, without what follows from them; then the session is folded again from there.
 */

import type postgres from 'postgres';
import { emptyChain } from '../../core/accounting/empty-fold';
import type { Item } from '../../core/protocol/items';
import { deliveryKey } from './arrivals';
import { pushCall } from './call-columns';
import { rawColumns } from './call-row';
import { chainNumber } from './chain-numbers';
import { foldFrom } from './fold-from';
import { modelOf } from './fold-tail';
import { placeLate } from './place-late';
import type { Recorder } from './recorder';
import { archiveRow, changedCallRow, type Place, reportRow } from './rows';
import { type Description, describe, descriptionOf } from './session-columns';
import type { SessionPlan } from './session-plan';

/** Stores the rows of the plans; what it returns folds them, once the rows are written. */
export async function recordLate(
  recorder: Recorder,
  plans: readonly SessionPlan[],
): Promise<(recorder: Recorder) => Promise<void>> {
  const stored: { plan: SessionPlan; lastPosition: number; from: number }[] = [];
  for (const plan of plans) {
    const placed = await placeLate(recorder.tx, plan);
    const from = Math.min(lowestChange(plan), placed.from ?? Number.MAX_SAFE_INTEGER);
    writeRaw(recorder, plan);
    recorder.writes.historyChanges.push({ s: plan.session.id, p: from });
    stored.push({ plan, lastPosition: placed.lastPosition, from });
  }
  return async (then) => {
    for (const { plan, lastPosition, from } of stored) await foldAgain(then, plan, lastPosition, from);
  };
}

function lowestChange(plan: SessionPlan): number {
  // What another source reported counts differently from the first item on.
  if (plan.owner !== plan.session.owner) return 0;
  const positions = [...plan.changed.values(), ...plan.moved.values()].map(({ position }) => position);
  return Math.min(...positions, plan.tail[0]?.record.position ?? Number.MAX_SAFE_INTEGER);
}

function writeRaw({ writes, models }: Recorder, plan: SessionPlan): void {
  const { session } = plan;
  const place = { m: session.month, s: session.id };
  const known = new Set(plan.chains.keys());
  for (const { position } of plan.moved.values()) writes.removedCalls.push({ ...place, p: position });
  for (const record of plan.changed.values()) {
    const chain = chainNumber(plan, record.facts.chain);
    writes.changedCalls.push(changedCallRow(session, record, chain, modelOf(record, models)));
  }
  for (const row of [...plan.late, ...plan.tail]) {
    if (row.kind === 'report') {
      writes.reports.push(reportRow(session, row.record));
      const archive = archiveRow(session, row.record);
      if (archive) writes.archives.push(archive);
      if ('chain' in row.record.item) chainNumber(plan, row.record.item.chain ?? 'main');
    } else {
      const chain = chainNumber(plan, row.record.facts.chain);
      pushCall(writes.calls, session, row.record, rawColumns(row.record), chain, modelOf(row.record, models));
    }
  }
  for (const { chain, key, fold } of plan.chains.values()) {
    if (!known.has(key) || !fold) writes.chains.push({ ...place, c: chain, k: key, f: emptyChain() });
  }
}

async function foldAgain(
  recorder: Recorder,
  plan: SessionPlan,
  lastPosition: number,
  changedFrom: number,
): Promise<void> {
  const { session } = plan;
  const refused = await foldFrom(recorder, {
    session,
    from: changedFrom,
    mark: {
      owner: plan.owner,
      sources: plan.sources,
      lastPosition,
      chainCount: plan.chainCount,
      recomputeFrom: session.recomputeFrom,
      lastActivityAt: plan.lastActivityAt,
      version: session.version + 1,
    },
    describe: () => describeAgain(recorder, plan),
  });
  for (const row of [...plan.late, ...plan.tail]) {
    const reason = refused.get(deliveryKey(row.record.streamId, row.record.seq));
    if (reason) recorder.refuseRow(row, reason);
  }
}

async function describeAgain({ tx, projectOf }: Recorder, plan: SessionPlan): Promise<Description> {
  const { session } = plan;
  const isTold = [...plan.late, ...plan.tail].some(
    (row) => row.kind === 'report' && row.record.item.type === 'session_start',
  );
  return isTold
    ? readDescription(tx, session, descriptionOf(session), projectOf(session))
    : descriptionOf(session);
}

/** What the stored session_start items say, in their order. */
export async function readDescription(
  tx: postgres.TransactionSql,
  { id, month }: Place,
  before: Description,
  project: string,
): Promise<Description> {
  const rows = await tx<{ item: Omit<Item, 'seq' | 'session' | 'at'> }[]>`
    select item from reports
    where month = ${month} and session_id = ${id} and item->>'type' = 'session_start'
    order by position`;
  return rows.reduce(
    (description, { item }) =>
      describe(description, { ...item, seq: 1, session: '-', at: 0 } as Item, project),
    before,
  );
}
