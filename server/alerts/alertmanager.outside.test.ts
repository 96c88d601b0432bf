/** Alertmanager itself, which some machines have as a Debian package. */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findFreePort } from '../../core/testing/free-port';
import { makeChannel, makeRule } from '../../db/alerts/testing/make-rules';
import { deliver, numbered, openTestStream, type Words } from '../../db/ingest/ingest-testing';
import { openTestDatabase } from '../../db/testing/test-database';
import { createSecretBox } from './secret-box';
import { startAlerts } from './start-alerts';

const { sql } = await openTestDatabase();
const ends: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  await sql`truncate alert_outbox, alert_deliveries, alerts, alert_channels, alert_rules, alert_mutes`;
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(): Promise<void> {
  const options = {
    idleAfterMs: 600_000,
    base: 'http://127.0.0.1:4680',
    allowPrivate: true,
    secrets: createSecretBox(randomBytes(32)),
    pollMs: 50,
    settleMs: 10,
  };
  const alerts = await startAlerts({ sql, log: pino({ level: 'silent' }), ...options });
  ends.push(alerts.close);
}

let last = 0;
/** A new session with this title, above its limit. @returns sends another size of its context */
async function overLimit(title: string) {
  last += 1;
  const stream = await openTestStream(sql, { project: `alertmanager-${last}` });
  const words = (used: number, at: number): Words => ({
    type: 'turn',
    session: 's',
    at,
    limit: 100_000,
    contextTokens: used,
    usage: { input: used, output: 10, cacheRead: 0, cacheCreation: 0 },
    call: `call-${at}`,
  });
  const now = Date.now();
  const first: Words = { type: 'session_start', session: 's', at: now, title, lens: 'snapshot' };
  await deliver(sql, stream, numbered([first, words(120_000, now)]), now);
  return (used: number) => deliver(sql, stream, numbered([words(used, now + 1_000)], 3), now + 1_000);
}

const BINARY = ['prometheus-alertmanager', 'alertmanager'].find(
  (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0,
);

test.skipIf(BINARY === undefined)('Alertmanager shows a firing alert and ends a resolved one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'alertmanager-'));
  writeFileSync(join(folder, 'config.yml'), 'route:\n  receiver: none\nreceivers:\n  - name: none\n');
  const port = await findFreePort();
  const child = spawn(
    BINARY ?? '',
    [
      `--config.file=${join(folder, 'config.yml')}`,
      `--storage.path=${folder}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--cluster.listen-address=',
    ],
    { stdio: 'ignore' },
  );
  ends.push(async () => child.kill());
  const url = `http://127.0.0.1:${port}`;
  const active = async (): Promise<{ labels: Record<string, string> }[]> =>
    (await fetch(`${url}/api/v2/alerts?active=true`)).json();
  await vi.waitFor(async () => expect(await active()).toEqual([]));
  const channel = await makeChannel(sql, 'alertmanager', { url });
  await makeRule(sql, { kind: 'over_limit' }, { name: 'Over limit', channels: [channel] });
  await start();
  const resize = await overLimit('Fix payments');
  await vi.waitFor(async () => {
    expect((await active()).map(({ labels }) => labels)).toMatchObject([
      { alertname: 'Over limit', severity: 'warning', condition: 'over_limit', runner: 'desk' },
    ]);
  });
  await resize(20_000);
  await vi.waitFor(async () => expect(await active()).toEqual([]));
});
