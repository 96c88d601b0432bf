import type postgres from 'postgres';
import { inRanges } from '../../core/protocol/ranges';
import { transact } from '../transact';
import type { Arrival } from './arrivals';
import { lockStreams } from './lock-batch';
import type { RecordedBatch } from './record-batch';
import { deliveryRow } from './rows';
import { formatRanges } from './seq-ranges';
import { DELIVERY_OUTCOME } from './session-plan';
import type { ItemOutcome, Refused } from './types';
import { flushWrites, newWriteSet } from './write-set';

/** Settles an item that the database would not take: refused for good, and remembered as such. */
export async function refuseArrival(
  sql: postgres.Sql,
  arrivals: readonly Arrival[],
  error: unknown,
  now: number,
): Promise<RecordedBatch> {
  const refused: Refused = { code: 'unstorable', field: '', reason: reasonOf(error) };
  const outcomes = new Map<Arrival, ItemOutcome>();
  await transact(sql, async (tx) => {
    for (const arrival of arrivals) {
      const { stream, item, hash } = arrival;
      const received = (await lockStreams(tx, [stream.streamId])).get(stream.streamId) ?? [];
      outcomes.set(arrival, { outcome: 'refused', ...refused });
      if (inRanges(received, item.seq)) continue;
      const writes = newWriteSet();
      const outcome = DELIVERY_OUTCOME.refused;
      const delivery = {
        streamId: stream.streamId,
        seq: item.seq,
        hash,
        outcome,
        refusal: refused,
        receivedAt: now,
      };
      writes.deliveries.push(deliveryRow(delivery));
      writes.received.push({ t: stream.streamId, g: formatRanges([[item.seq, item.seq]]) });
      await flushWrites(tx, writes);
    }
  });
  return { outcomes, touched: [], created: new Map() };
}

/** The database's own sentence, without the values it may quote behind it. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `the item could not be stored: ${message.slice(0, 200)}`;
}
