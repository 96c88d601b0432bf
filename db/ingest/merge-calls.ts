/** Calls that two sessions both hold, when one adopts the other: one row remains. */
import type postgres from 'postgres';
import { sourceCode } from '../codes/sources';
import { mergeFacts } from './call-facts';
import { type CallRecord, type CallRow, recordOf } from './call-row';
import { callColumns } from './call-sql';
import type { Place } from './rows';
import { changedCallRow, deliveryRow } from './rows';
import { DELIVERY_OUTCOME } from './session-plan';
import { flushWrites, newWriteSet } from './write-set';

/**
 * Takes the doubled calls out of `from`, and what they know into the rows of `to`.
 *
 * @returns the lowest position in `to` that changed; null: none
 */
export async function mergeCalls(
  tx: postgres.TransactionSql,
  from: Place,
  to: Place,
): Promise<number | null> {
  const theirs = await readDoubled(tx, from, to);
  if (theirs.size === 0) return null;
  const ours = await readDoubled(tx, to, from);
  const writes = newWriteSet();
  let lowest: number | null = null;
  for (const [key, { record: their, modelId }] of theirs) {
    const { streamId, seq, hash, serverTime: receivedAt } = their;
    const outcome = DELIVERY_OUTCOME.duplicate;
    writes.deliveries.push(deliveryRow({ streamId, seq, hash, outcome, refusal: null, receivedAt }));
    writes.removedCalls.push({ m: from.month, s: from.id, p: their.position });
    const our = ours.get(key);
    if (!our) continue;
    const merged = mergeRecords(our.record, their);
    if (!merged) continue;
    lowest = Math.min(lowest ?? Number.MAX_SAFE_INTEGER, our.record.position);
    writes.changedCalls.push(changedCallRow(to, merged, our.chain, our.modelId ?? modelId));
  }
  await flushWrites(tx, writes);
  return lowest;
}

interface Doubled {
  record: CallRecord;
  chain: number;
  modelId: number | null;
}

async function readDoubled(
  tx: postgres.TransactionSql,
  of: Place,
  other: Place,
): Promise<Map<string, Doubled>> {
  const rows = await tx<(CallRow & { chain: number; modelId: number | null })[]>`
    select ${callColumns(tx)}, t.chain, t.model_id as "modelId"
    from turns t
    where t.month = ${of.month} and t.session_id = ${of.id} and exists (
      select 1 from turns o
      where o.month = ${other.month} and o.session_id = ${other.id} and o.call_key = t.call_key
    )`;
  return new Map(
    rows.map(({ chain, modelId, ...row }) => [row.callKey, { record: recordOf(row), chain, modelId }]),
  );
}

/** What the row of `ours` is to hold; null: it holds everything already. The better source's figures stand. */
function mergeRecords(ours: CallRecord, theirs: CallRecord): CallRecord | null {
  const isBetter = sourceCode(theirs.source) < sourceCode(ours.source);
  const merge = mergeFacts(ours.facts, theirs.facts, 'stored');
  const source = isBetter ? theirs.source : ours.source;
  if (merge.kind === 'conflict')
    return isBetter ? { ...ours, facts: { ...theirs.facts, chain: ours.facts.chain }, source } : null;
  if (merge.kind === 'same' && !isBetter) return null;
  return { ...ours, facts: merge.kind === 'amended' ? merge.facts : ours.facts, source };
}
