/** For tests: a separate process that records one stream, one batch per IPC message. */
import { once } from 'node:events';
import type { Item } from '../../core/protocol/items';
import { connect } from '../client';
import { openStream, type StreamHello } from './open-stream';
import { recordDeliveries } from './record-deliveries';

export interface ProcessTask {
  url: string;
  hello: StreamHello;
  batches: Item[][];
  receivedAt: number;
}

/** Sent when the process is ready for the next batch. `stored`: rows stored so far. `left`: remaining batches. */
export interface ProcessReport {
  stored: number;
  left: number;
}

process.once('message', async ({ url, hello, batches, receivedAt }: ProcessTask) => {
  const sql = connect(url, 2, { applicationName: 'barograph-test-process' });
  const stream = await openStream(sql, hello);
  let stored = 0;
  let left = batches.length;
  for (const items of batches) {
    const go = once(process, 'message');
    process.send?.({ stored, left } satisfies ProcessReport);
    await go;
    const delivery = { stream, items, receivedAt, clockAgrees: true };
    const { outcomes } = await recordDeliveries(sql, [delivery], { now: receivedAt });
    stored += outcomes.flat().filter(({ outcome }) => outcome === 'stored').length;
    left -= 1;
  }
  await sql.end();
  process.send?.({ stored, left: 0 } satisfies ProcessReport, () => process.disconnect());
});
