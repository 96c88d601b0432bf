import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { makeChannel, makeRule } from '../../db/alerts/testing/make-rules';
import { deliver, numbered, openTestStream, type Words } from '../../db/ingest/ingest-testing';
import { type Received, startReceiver } from '../../db/testing/http-receiver';
import { openTestDatabase } from '../../db/testing/test-database';
import { pauseMs } from './pause';
import type { AlertOptions } from './start-alerts';
import { startTestAlerts } from './testing/start-test-alerts';

const { sql } = await openTestDatabase();
const KEY = 'a key of the test';
const ends: (() => Promise<void>)[] = [];

beforeEach(async () => {
  await sql`truncate alert_outbox, alert_deliveries, alerts, alert_channels, alert_rules, alert_mutes`;
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function receive(answer?: Parameters<typeof startReceiver>[0]) {
  const receiver = await startReceiver(answer);
  ends.push(receiver.close);
  return receiver;
}

async function start(more: Partial<AlertOptions> = {}) {
  const alerts = await startTestAlerts(sql, { random: () => 0, ...more });
  ends.push(alerts.close);
  return alerts;
}

let last = 0;
/** Deliver a turn above the limit of a new session. */
async function overLimit(count = 1): Promise<void> {
  last += 1;
  const stream = await openTestStream(sql, { project: `sending-${last}` });
  const words = Array.from(
    { length: count },
    (_, index): Words => ({
      type: 'turn',
      session: `s${index}`,
      at: Date.now(),
      limit: 100_000,
      usage: { input: 120_000, output: 10, cacheRead: 0, cacheCreation: 0 },
      call: `call-${index}`,
    }),
  );
  await deliver(sql, stream, numbered(words), Date.now());
}

async function webhook(url: string, more: { perMinute?: number } = {}): Promise<void> {
  const channel = await makeChannel(sql, 'webhook', { url }, { key: KEY }, more);
  await makeRule(sql, { kind: 'over_limit' }, { channels: [channel] });
}

const keyOf = ({ headers }: Received) => headers['idempotency-key'];
const deliveries = () =>
  sql<{ state: string; attempts: number; error: string | null }[]>`
    select state, attempts, error from alert_deliveries order by created_at`;

describe('a webhook', () => {
  test('gets signed JSON soon after the commit', async () => {
    const receiver = await receive();
    await webhook(`${receiver.url}/hook`);
    await start();
    await overLimit();
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1));
    const [first] = receiver.received as [Received];
    const [, seconds, signature] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(first.headers['barograph-signature'])) ?? [];
    expect(createHmac('sha256', KEY).update(`${seconds}.${first.body}`).digest('hex')).toBe(signature);
    expect(JSON.parse(first.body)).toMatchObject({
      version: 1,
      id: keyOf(first),
      alerts: [
        { change: 'fired', condition: 'over_limit', text: 'Over limit: 120 %, 120 k of 100 k tokens.' },
      ],
    });
    await vi.waitFor(async () => expect(await deliveries()).toMatchObject([{ state: 'sent', attempts: 1 }]));
  });

  test('that fails gets the message again with the same key, after a pause', async () => {
    let count = 0;
    const receiver = await receive((response) => {
      count += 1;
      response.statusCode = count < 3 ? 503 : 200;
      response.end();
    });
    await webhook(receiver.url);
    await start();
    await overLimit();
    await vi.waitFor(() => expect(receiver.received).toHaveLength(3));
    expect(new Set(receiver.received.map(keyOf)).size).toBe(1);
    const [first, second, third] = receiver.received.map(({ at }) => at) as [number, number, number];
    expect(second - first).toBeGreaterThanOrEqual(500);
    expect(third - second).toBeGreaterThanOrEqual(1_000);
  });

  test('that hangs gets the message again with the same key, and delays no other channel', async () => {
    let count = 0;
    const slow = await receive((response) => {
      count += 1;
      if (count > 1) response.end();
    });
    const fast = await receive();
    await webhook(slow.url);
    await webhook(fast.url);
    await start({ timeoutMs: 3_000 });
    await overLimit();
    await vi.waitFor(async () =>
      expect((await deliveries()).map(({ state }) => state)).toEqual(['sent', 'sent']),
    );
    // A busy machine may answer later than the limit, which causes another attempt.
    expect(slow.received.length).toBeGreaterThan(1);
    for (const { received } of [slow, fast]) expect(new Set(received.map(keyOf)).size).toBe(1);
    expect(fast.received[0]?.at).toBeLessThan(slow.received[1]?.at ?? 0);
  });

  test('that refuses a message leaves a dead letter with the reason', async () => {
    const receiver = await receive((response) => {
      response.statusCode = 410;
      response.end();
    });
    await webhook(`${receiver.url}/secret-path`);
    await start();
    await overLimit();
    await vi.waitFor(async () =>
      expect(await deliveries()).toEqual([
        { state: 'dead', attempts: 1, error: 'The receiver answered status 410.' },
      ]),
    );
  });

  test('that redirects is not followed', async () => {
    const target = await receive();
    const receiver = await receive((response) => {
      response.writeHead(307, { Location: target.url }).end();
    });
    await webhook(receiver.url);
    await start();
    await overLimit();
    await vi.waitFor(async () => expect(await deliveries()).toMatchObject([{ state: 'dead' }]));
    expect(target.received).toHaveLength(0);
  });

  test.each([
    '127.0.0.1',
    'localhost',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '10.0.0.1',
    '169.254.169.254',
    '0x7f000001',
    '2130706433',
    '0177.0.0.1',
    '[::127.0.0.1]',
  ])('on the private address %s is not connected to', async (host) => {
    const receiver = await receive();
    await webhook(`http://${host}:${receiver.port}/`);
    await start({ allowPrivate: false });
    await overLimit();
    await vi.waitFor(async () => expect(await deliveries()).toMatchObject([{ state: 'dead', attempts: 1 }]));
    expect((await deliveries())[0]?.error).toMatch(/BAROGRAPH_ALERT_PRIVATE_TARGETS/);
    expect(receiver.received).toHaveLength(0);
  });
});

test('two servers send each message once', async () => {
  const receiver = await receive();
  await webhook(receiver.url, { perMinute: 100_000 });
  await Promise.all([start(), start(), start()]);
  for (let round = 0; round < 5; round += 1) await overLimit(20);
  await vi.waitFor(() => expect(receiver.received.length).toBeGreaterThanOrEqual(100));
  await vi.waitFor(async () =>
    expect((await deliveries()).filter(({ state }) => state !== 'sent')).toEqual([]),
  );
  expect(receiver.received).toHaveLength(100);
  expect(new Set(receiver.received.map(keyOf)).size).toBe(100);
});

test('PagerDuty gets each event of a storm once, although the events take longer than a lease', async () => {
  const [timeoutMs, leaseMarginMs] = [60_000, 30_000];
  let clock = Date.now() + 600_000;
  const receiver = await receive((response) => {
    // By the clock of the servers, three events take almost as long as a lease.
    clock += 25_000;
    response.writeHead(202).end();
  });
  const channel = await makeChannel(sql, 'pagerduty', { url: receiver.url }, { routingKey: 'r' });
  await makeRule(sql, { kind: 'over_limit' }, { channels: [channel] });
  await overLimit(130);
  const options = { timeoutMs, leaseMarginMs, now: () => clock };
  await Promise.all([start(options), start(options)]);
  // One message has at most 100 events.
  const sent = { state: 'sent', attempts: 1 };
  await vi.waitFor(async () => expect(await deliveries()).toMatchObject([sent, sent]));
  expect(receiver.received).toHaveLength(130);
  expect(new Set(receiver.received.map(({ body }) => JSON.parse(body).dedup_key)).size).toBe(130);
});

test('a date in Retry-After is respected', async () => {
  let count = 0;
  const receiver = await receive((response) => {
    count += 1;
    const later = new Date(Date.now() + 3_000).toUTCString();
    response.writeHead(count === 1 ? 429 : 200, { 'Retry-After': later }).end();
  });
  await webhook(receiver.url);
  await start();
  await overLimit();
  await vi.waitFor(() => expect(receiver.received).toHaveLength(2));
  const [first, second] = receiver.received.map(({ at }) => at) as [number, number];
  expect(second - first).toBeGreaterThan(1_500);
});

test('doubles the pause up to 15 minutes, half of it random', () => {
  expect([1, 2, 3, 12].map((attempt) => pauseMs(attempt, 0))).toEqual([500, 1_000, 2_000, 450_000]);
  expect([1, 2, 3, 12].map((attempt) => pauseMs(attempt, 1))).toEqual([1_000, 2_000, 4_000, 900_000]);
});
