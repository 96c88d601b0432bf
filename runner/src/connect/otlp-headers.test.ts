import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { answerIdentity, TEST_SECRET, TEST_SERVER } from '../proof/testing/identity';
import { CONNECTION } from '../testing/settings';
import { otlpHeaders } from './otlp-headers';

test('gives the token only for the address of a server that proves its identity', async () => {
  let secret = TEST_SECRET;
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const { port } = server.address() as AddressInfo;
    const asked = { method: String(request.method), body };
    response.end(JSON.stringify(answerIdentity({ server: TEST_SERVER, secret }, port, asked)));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = mkdtempSync(join(tmpdir(), 'barograph-otlp-'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    server.close();
    rmSync(folder, { recursive: true });
  });
  writeFileSync(join(folder, 'connection.json'), CONNECTION.replace(/http:[^"]+/, url));
  vi.stubEnv('BAROGRAPH_DATA_DIR', folder);
  vi.stubEnv('BAROGRAPH_PROJECT', 'night');
  expect(await otlpHeaders(`${url}/v1/logs`, true)).toEqual({
    Authorization: 'Bearer bg_local',
    'X-Barograph-Project': 'night',
    'X-Barograph-Watched': '1',
  });
  expect(await otlpHeaders('http://127.0.0.1:4318/v1/logs', true)).toEqual({});
  secret = 'ff'.repeat(32);
  expect(await otlpHeaders(`${url}/v1/logs`, true)).toEqual({});
});
