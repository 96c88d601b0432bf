import { randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import { openStream } from '../../db/ingest/open-stream';
import { recordDeliveries } from '../../db/ingest/record-deliveries';
import type { Delivery } from '../../db/ingest/types';
import { createTurnSource } from '../ingest/make-turns';
import { createRandom } from '../lib/random';

const PROJECTS = 6;
const RUNNERS = 4;
const MODELS = ['claude-opus-4-1-20250805', 'claude-sonnet-4-5', 'gpt-5'];
const TURNS_PER_SESSION = 250;
const EVERY_MS = 30_000;
const DAY_MS = 86_400_000;
const SESSIONS_AT_ONCE = 20;

/** A year of working days, imported afterwards by some runners of some projects. */
export async function fillYear(sql: postgres.Sql, turns: number): Promise<{ to: number }> {
  const to = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const random = createRandom(11);
  const sessions = Math.ceil(turns / TURNS_PER_SESSION);
  for (let first = 0; first < sessions; first += SESSIONS_AT_ONCE) {
    const deliveries: Delivery[] = [];
    for (let index = first; index < Math.min(first + SESSIONS_AT_ONCE, sessions); index += 1) {
      // Spread over the year, each beginning in the morning or the afternoon.
      const day = to - 365 * DAY_MS + Math.floor((index / sessions) * 364) * DAY_MS;
      const startAt = day + (8 + random(9)) * 3_600_000 + random(60) * 60_000;
      const project = `project-${random(PROJECTS)}`;
      const stream = await openStream(sql, {
        project,
        runner: { name: `runner-${random(RUNNERS)}` },
        stream: randomUUID(),
        source: 'transcript',
      });
      const model = MODELS[random(MODELS.length)] ?? 'gpt-5';
      const source = createTurnSource(`year-${index}`, index, startAt, { everyMs: EVERY_MS, model });
      deliveries.push({
        stream,
        items: source.next(TURNS_PER_SESSION),
        receivedAt: Date.now(),
        clockAgrees: true,
      });
    }
    const { outcomes } = await recordDeliveries(sql, deliveries, { now: Date.now() });
    if (outcomes.flat().some(({ outcome }) => outcome !== 'stored')) throw new Error('a turn was not stored');
  }
  return { to };
}
