import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createClient } from './create-client';
import { FakeServer } from './testing/fake-server';

const MEDIAN_MICROSECONDS = 50;

async function measure(url: string): Promise<number> {
  const queueFolder = mkdtempSync(path.join(tmpdir(), 'p4-time-'));
  const client = createClient({ url, token: null, project: 'p', runner: { name: 'r' }, queueFolder });
  const session = client.session('a-session-key-of-usual-length');
  const times: number[] = [];
  for (let round = 0; round < 100; round += 1) {
    for (let i = 0; i < 50; i += 1) {
      const begin = process.hrtime.bigint();
      session.turn({
        call: `msg_${round}_${i}`,
        model: 'claude-opus-4-5',
        usage: { input: 487, output: 5880, cacheRead: 1_432_262, cacheCreation: 12 },
        contextTokens: 170_000,
      });
      times.push(Number(process.hrtime.bigint() - begin) / 1000);
    }
    await new Promise(setImmediate);
  }
  await client.close(0);
  rmSync(queueFolder, { recursive: true, force: true });
  times.sort((a, b) => a - b);
  return times[times.length >> 1] ?? Number.POSITIVE_INFINITY;
}

test('takes less than 50 µs per item, with and without a server', async () => {
  const server = await FakeServer.start();
  const withServer = await measure(server.url);
  await server.stop();
  const without = await measure('http://127.0.0.1:9');
  console.info(
    `hand-over, median: ${withServer.toFixed(1)} µs with a server, ${without.toFixed(1)} µs without`,
  );
  expect(withServer).toBeLessThan(MEDIAN_MICROSECONDS);
  expect(without).toBeLessThan(MEDIAN_MICROSECONDS);
});
