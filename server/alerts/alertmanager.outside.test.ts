/** Alertmanager itself, which some machines have as a Debian package. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findFreePort } from '../../core/testing/free-port';
import { makeChannel, makeRule } from '../../db/alerts/testing/make-rules';
import { openTestDatabase } from '../../db/testing/test-database';
import { overLimit, startTestAlerts } from './testing/start-test-alerts';

const { sql } = await openTestDatabase();
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
  onTestFinished(() => void child.kill());
  const url = `http://127.0.0.1:${port}`;
  const active = async (): Promise<{ labels: Record<string, string> }[]> =>
    (await fetch(`${url}/api/v2/alerts?active=true`)).json();
  await vi.waitFor(async () => expect(await active()).toEqual([]));
  const channel = await makeChannel(sql, 'alertmanager', { url });
  await makeRule(sql, { kind: 'over_limit' }, { name: 'Over limit', channels: [channel] });
  const alerts = await startTestAlerts(sql);
  onTestFinished(alerts.close);
  const resize = await overLimit(sql, 'Fix payments');
  await vi.waitFor(async () => {
    expect((await active()).map(({ labels }) => labels)).toMatchObject([
      { alertname: 'Over limit', severity: 'warning', condition: 'over_limit', runner: 'desk' },
    ]);
  });
  await resize(20_000);
  await vi.waitFor(async () => expect(await active()).toEqual([]));
});
