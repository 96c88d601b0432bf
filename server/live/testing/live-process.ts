/** For tests: a process that serves the live feed of a database. Sends its port over IPC. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { connect } from '../../../db/client';
import { listenToChanges } from '../../changes';
import { createLiveEndpoint } from '../create-live-endpoint';

process.once('message', async ({ url, epoch }: { url: string; epoch: string }) => {
  const sql = connect(url, 4, { applicationName: 'barograph-test-process' });
  const changes = await listenToChanges(sql);
  const settings = { host: '127.0.0.1', idleAfterMinutes: 10 };
  const log = pino({ level: 'silent' });
  const endpoint = createLiveEndpoint({ sql, changes, epoch, settings, log }, { sweepMs: 3_600_000 });
  const server = createServer((req, res) => void endpoint.handleRequest(req, res, new URL('http://x/')));
  server.on('upgrade', (req, socket, head) =>
    endpoint.handleUpgrade?.(req, socket, head, new URL(req.url ?? '/', 'http://127.0.0.1')),
  );
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.once('message', async () => {
    await endpoint.close();
    await changes.close();
    await new Promise((resolve) => server.close(resolve));
    await sql.end();
    process.disconnect();
  });
});
