import { randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import { openStream } from '../../db/ingest/open-stream';
import { recordDeliveries } from '../../db/ingest/record-deliveries';
import type { Delivery } from '../../db/ingest/types';

export function openBenchStream(
  sql: postgres.Sql,
  project: string,
  runner: string,
  source: 'sdk' | 'transcript' = 'sdk',
) {
  return openStream(sql, { project, runner: { name: runner }, stream: randomUUID(), source });
}

/** Records items as the ingest does. @throws Error if one is not stored. */
export async function record(
  sql: postgres.Sql,
  deliveries: readonly Pick<Delivery, 'stream' | 'items'>[],
): Promise<void> {
  const now = Date.now();
  const received = deliveries.map((delivery) => ({ ...delivery, receivedAt: now, clockAgrees: true }));
  const { outcomes } = await recordDeliveries(sql, received, { now });
  if (outcomes.flat().some(({ outcome }) => outcome !== 'stored')) throw new Error('a turn was not stored');
}
