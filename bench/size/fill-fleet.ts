import { randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import { openStream } from '../../db/ingest/open-stream';
import { recordDeliveries } from '../../db/ingest/record-deliveries';
import type { Delivery } from '../../db/ingest/types';
import { createTurnSource } from '../ingest/make-turns';

/** Sessions and their turns: many of a day's work, a few that go on for weeks. */
const FLEET: readonly { sessions: number; turns: number }[] = [
  { sessions: 80, turns: 750 },
  { sessions: 16, turns: 1_500 },
  { sessions: 4, turns: 4_000 },
];
const TURNS_PER_DELIVERY = 10;

export const FLEET_TURNS = FLEET.reduce((sum, { sessions, turns }) => sum + sessions * turns, 0);

/** Records 100 000 turns of 100 sessions, ten of each at a time, as a live fleet brings them. */
export async function fillFleet(sql: postgres.Sql): Promise<void> {
  const sizes = FLEET.flatMap(({ sessions, turns }) => Array.from({ length: sessions }, () => turns));
  const writers = await Promise.all(
    sizes.map(async (turns, index) => {
      const stream = await openStream(sql, {
        project: 'bench-size',
        runner: { name: `runner-${index}` },
        stream: randomUUID(),
        source: 'sdk',
      });
      const startAt = Date.now() - turns * 3_000 - 60_000;
      return { stream, left: turns, source: createTurnSource(`fleet-${index}`, index, startAt) };
    }),
  );
  for (;;) {
    const receivedAt = Date.now();
    const deliveries: Delivery[] = [];
    for (const writer of writers) {
      const count = Math.min(TURNS_PER_DELIVERY, writer.left);
      if (count === 0) continue;
      writer.left -= count;
      deliveries.push({
        stream: writer.stream,
        items: writer.source.next(count),
        receivedAt,
        clockAgrees: true,
      });
    }
    if (deliveries.length === 0) return;
    await recordDeliveries(sql, deliveries, { now: receivedAt });
  }
}
