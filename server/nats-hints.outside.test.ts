/** Hints over a real NATS server, which is killed and started again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { pipeline } from 'node:stream';
import pino from 'pino';
import { afterAll, expect, it } from 'vitest';
import { findFreePort } from '../core/testing/free-port';
import { connect } from '../db/client';
import { hint, noHints, SESSIONS_CHANNEL } from '../db/hints';
import { findDebianProgram } from '../db/testing/debian-program';
import { createTestDatabase } from '../db/testing/test-database';
import { startNatsHints } from './nats-hints';

const program = findDebianProgram('nats-server', 'usr/sbin/nats-server');
const database = await createTestDatabase();
let nats: ChildProcess | null = null;
const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
  await killNats();
  await database.close();
});

function startNats(port: number): void {
  nats = spawn(program ?? '', ['-a', '127.0.0.1', '-p', String(port), '--user', 'us', '--pass', 'p@ss'], {
    stdio: 'ignore',
  });
}

async function killNats(): Promise<void> {
  if (!nats || nats.signalCode !== null) return;
  const ended = once(nats, 'exit');
  nats.kill('SIGKILL');
  await ended;
}

/** The client of a server, with what it received and the number of its additional reads. */
async function openServer(port: number) {
  const sql = connect(database.url, 2);
  const log = pino({ level: 'silent' });
  const servers = [new URL(`nats://us:p%40ss@127.0.0.1:${port}`)];
  const { close } = await startNatsHints(sql, { servers, prefix: 'barograph.test', log });
  ends.push(close, () => sql.end({ timeout: 5 }));
  const received: string[] = [];
  let reads = 0;
  await sql.listen(
    SESSIONS_CHANNEL,
    (payload) => received.push(payload),
    () => {
      reads += 1;
    },
  );
  return { sql, received, reads: () => reads };
}

it.skipIf(program === null)('carries hints over NATS, and by NOTIFY while NATS is away', async () => {
  const port = await findFreePort();
  const notified: string[] = [];
  await database.sql.listen(SESSIONS_CHANNEL, (payload) => notified.push(payload));
  const [sender, receiver] = await Promise.all([openServer(port), openServer(port)]);
  const tell = (id: string) => hint(sender.sql, { ...noHints(), sessions: new Map([[id, 1]]) });

  tell('before');
  await expect.poll(() => receiver.received).toEqual(['[["before",1]]']);
  expect(notified).toHaveLength(1);

  for (const round of [1, 2]) {
    startNats(port);
    // Each server reads after each connection, because it may have missed hints.
    await expect.poll(sender.reads).toBe(round + 1);
    await expect.poll(receiver.reads).toBe(round + 1);
    tell(`with ${round}`);
    await expect.poll(() => receiver.received).toContain(`[["with ${round}",1]]`);
    await killNats();
    tell(`without ${round}`);
    // A hint that was sent at the moment of the kill may be lost.
    await expect
      .poll(() => {
        tell(`without ${round}`);
        return receiver.received;
      })
      .toContain(`[["without ${round}",1]]`);
    await expect.poll(() => notified.join()).toContain(`without ${round}`);
    expect(notified.join()).not.toContain('with ');
  }
});

it.skipIf(program === null)('reads only after NATS has its subscription', async () => {
  const [port, slowPort] = [await findFreePort(), await findFreePort()];
  startNats(port);
  // What a server sends arrives late.
  const slow = createServer((client) => {
    const upstream = createConnection(port, '127.0.0.1');
    client.on('data', (bytes) => setTimeout(() => upstream.write(bytes), 1_000));
    pipeline(upstream, client, () => undefined);
  }).listen(slowPort, '127.0.0.1');
  ends.push(() => slow.close());
  await once(slow, 'listening');
  const [sender, receiver] = await Promise.all([openServer(port), openServer(slowPort)]);
  await expect.poll(sender.reads).toBe(2);
  await expect.poll(receiver.reads, { interval: 5 }).toBe(2);
  hint(sender.sql, { ...noHints(), sessions: new Map([['first', 1]]) });
  await expect.poll(() => receiver.received).toContain('[["first",1]]');
});
