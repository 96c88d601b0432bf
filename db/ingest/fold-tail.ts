/** The short way: new items behind everything the session has are folded onto its stored state. */
import type { ChainFold, SessionFold } from '../../core/accounting/fold-types';
import type { Thresholds } from '../../core/accounting/types';
import { sourceOf } from '../codes/sources';
import { pushCall } from './call-columns';
import type { CallRecord } from './call-row';
import { chainNumber } from './chain-numbers';
import { beginFolding, type Folding, foldCall, foldReport, gapForCall } from './fold-items';
import { archiveRow, closedContextRow, eventRow, openContextRow, reportRow } from './rows';
import type { NewRow, ReportRecord, SessionPlan } from './session-plan';
import type { Refused } from './types';
import type { WriteSet } from './write-set';

/** Folds the tail of a plan, whose positions are given, and puts its rows into `writes`. */
export function foldTail(
  plan: SessionPlan,
  thresholds: Thresholds,
  models: ReadonlyMap<string, number>,
  refuseRow: (row: NewRow, refused: Refused) => void,
  writes: WriteSet,
): Folding {
  const { session, chains } = plan;
  const loaded: Record<string, ChainFold> = Object.fromEntries(
    [...chains.values()].flatMap(({ key, fold }) => (fold ? [[key, fold]] : [])),
  );
  const state: SessionFold = { ...session.fold, chains: loaded };
  const folding = beginFolding(state, { thresholds, owner: sourceOf(plan.owner) });
  for (const row of plan.tail) {
    if (row.kind === 'report') writeReport(plan, folding, row.record, writes);
    else writeCall(plan, folding, row, models, refuseRow, writes);
  }
  const place = { m: session.month, s: session.id };
  for (const event of folding.events) {
    writes.events.push(eventRow(session, event, chainNumber(plan, event.chainKey)));
  }
  for (const { position, kind, detail } of folding.amends.values()) {
    writes.amendedEvents.push({ ...place, p: position, k: kind, d: detail });
  }
  for (const closed of folding.closed) {
    writes.contexts.push(closedContextRow(session, chainNumber(plan, closed.chain), closed));
  }
  for (const key of folding.touched) {
    const fold = state.chains[key];
    // An alias opens no chain.
    if (!fold || !Object.hasOwn(state.chains, key)) continue;
    const chain = chainNumber(plan, key);
    writes.chains.push({ ...place, c: chain, k: key, f: fold });
    writes.contexts.push(openContextRow(session, chain, fold));
  }
  return folding;
}

function writeCall(
  plan: SessionPlan,
  folding: Folding,
  row: Extract<NewRow, { kind: 'call' }>,
  models: ReadonlyMap<string, number>,
  refuseRow: (row: NewRow, refused: Refused) => void,
  writes: WriteSet,
): void {
  const { record } = row;
  const folded = foldCall(folding, record);
  if (!folded.ok) {
    refuseRow(row, folded.refused);
    writeReport(plan, folding, gapForCall(record, folded.refused), writes);
    return;
  }
  const chain = chainNumber(plan, record.facts.chain);
  pushCall(writes.calls, plan.session, record, folded.columns, chain, modelOf(record, models));
}

function writeReport(plan: SessionPlan, folding: Folding, record: ReportRecord, writes: WriteSet): void {
  foldReport(folding, record);
  writes.reports.push(reportRow(plan.session, record));
  const archive = archiveRow(plan.session, record);
  if (archive) writes.archives.push(archive);
}

export function modelOf({ facts }: CallRecord, models: ReadonlyMap<string, number>): number | null {
  return facts.model === null ? null : (models.get(facts.model) ?? null);
}
