/**
 * The cost of alert rules for ingest, alternating within one run so that the speed of the machine cancels out; and the
 * time from the commit of a turn to its webhook, at an even pace.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as rest } from 'node:timers/promises';
import { pino } from 'pino';
import { median } from '../core/forecast/median';
import type { Item } from '../core/protocol/items';
import { seedRules } from '../db/alerts/check-due';
import { forgetRules } from '../db/alerts/rule-book';
import { createSecretBox } from '../server/alerts/secret-box';
import { startAlerts } from '../server/alerts/start-alerts';
import { type BenchDatabase, openBenchStream, record } from './lib/bench-database';
import { type Figure, quantile, timed } from './lib/figures';
import { createTurnSource } from './lib/make-turns';

interface AlertScale {
  rounds: number;
  seconds: number;
}

const SESSIONS = 100;
const BATCHES = 20;
const PER_SECOND = 500;
/** One of this many turns exceeds the limit of a new session. */
const ALERT_EVERY = 25;
const STEP_MS = 20;

export async function measureAlerts(database: BenchDatabase, scale: AlertScale): Promise<Figure[]> {
  const { sql } = database;
  await seedRules(sql);
  const ratio = await measureCost(database, scale.rounds);
  const delays = await measureDelay(database, scale.seconds);
  return [
    {
      name: 'Rate of stored turns with all rules on, divided by the rate with all rules off',
      value: ratio,
      least: 0.8,
    },
    {
      name: `Commit to webhook, ${PER_SECOND} turns/s, 95th percentile`,
      value: quantile(delays, 0.95),
      unit: 'ms',
      most: 1_000,
    },
    { name: `Commit to webhook, ${PER_SECOND} turns/s, median`, value: quantile(delays, 0.5), unit: 'ms' },
  ];
}

async function turnRules({ sql }: BenchDatabase, enabled: boolean, channels: string[] = []): Promise<void> {
  await sql`update alert_rules set definition = definition || ${sql.json({ enabled, channels })}`;
  forgetRules(sql);
}

async function measureCost(database: BenchDatabase, rounds: number): Promise<number> {
  const { sql } = database;
  const stream = await openBenchStream(sql, 'bench-alerts', 'cost');
  let seq = 0;
  const nextSeq = () => {
    seq += 1;
    return seq;
  };
  const sources = Array.from({ length: SESSIONS }, (_, index) =>
    createTurnSource(`cost-${index}`, index + 1, Date.now() - 60_000, { nextSeq }),
  );
  const ratios: number[] = [];
  // The first round warms up and does not count.
  for (let round = 0; round <= rounds; round += 1) {
    const times: number[] = [];
    for (const isOn of round % 2 === 0 ? [false, true] : [true, false]) {
      await turnRules(database, isOn);
      let took = 0;
      for (let batch = 0; batch < BATCHES; batch += 1) {
        const items = sources.flatMap((source) => source.next(1, Date.now()));
        took += await timed(() => record(sql, [{ stream, items }]));
      }
      times[isOn ? 1 : 0] = took;
    }
    if (round > 0) ratios.push((times[0] ?? 0) / (times[1] ?? 1));
  }
  return median(ratios);
}

async function measureDelay(database: BenchDatabase, seconds: number): Promise<number[]> {
  const { sql } = database;
  const committed = new Map<string, number>();
  const delays: number[] = [];
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => {
      body += part;
    });
    request.on('end', () => {
      const at = performance.now();
      const { alerts } = JSON.parse(body) as { alerts: { change: string; session: { title: string } }[] };
      for (const { session } of alerts) {
        const since = committed.get(session.title);
        // A webhook may arrive before the commit's answer.
        if (since !== undefined) delays.push(Math.max(0, at - since));
        committed.delete(session.title);
      }
      response.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const [channel] = await sql<{ id: string }[]>`
    insert into alert_channels (name, kind, config, secret, per_minute)
    values ('bench', 'webhook', ${sql.json({ url: `http://127.0.0.1:${port}/` })}, ${sql.json({ key: 'k'.repeat(16) })},
      100000)
    returning id`;
  await turnRules(database, true, [channel?.id ?? '']);
  const log = pino({ level: 'silent' });
  const alerts = await startAlerts({
    sql,
    log,
    idleAfterMs: 600_000,
    base: 'http://127.0.0.1',
    allowPrivate: true,
    secrets: createSecretBox(randomBytes(32)),
  });
  const stream = await openBenchStream(sql, 'bench-alerts', 'delay');
  let seq = 0;
  const turn = (session: string, input: number): Item => {
    seq += 1;
    return {
      type: 'turn',
      seq,
      session,
      at: Date.now(),
      call: `${session}-${seq}`,
      limit: 1_000_000_000,
      usage: { input, output: 1, cacheRead: 0, cacheCreation: 0 },
    };
  };
  const startedAt = performance.now();
  let alerting = 0;
  for (let sent = 0; sent < PER_SECOND * seconds; ) {
    const wait = startedAt + (sent / PER_SECOND) * 1_000 - performance.now();
    if (wait > 0) await rest(wait);
    const items: Item[] = [];
    const titles: string[] = [];
    for (let one = 0; one < (PER_SECOND * STEP_MS) / 1_000; one += 1) {
      sent += 1;
      if (sent % ALERT_EVERY !== 0) {
        items.push(turn(`delay-${sent % SESSIONS}`, 10));
        continue;
      }
      const title = `over-${sent}`;
      seq += 1;
      items.push({ type: 'session_start', seq, session: title, at: Date.now(), title });
      items.push(turn(title, 2_000_000_000));
      titles.push(title);
      alerting += 1;
    }
    await record(sql, [{ stream, items }]);
    const at = performance.now();
    for (const title of titles) committed.set(title, at);
  }
  const until = performance.now() + 20_000;
  while (delays.length < alerting && performance.now() < until) await rest(50);
  await alerts.close();
  receiver.close();
  if (delays.length < alerting)
    throw new Error(`${alerting - delays.length} of ${alerting} webhooks are missing`);
  return delays;
}
