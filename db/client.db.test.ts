import { once } from 'node:events';
import { type AddressInfo, connect as connectSocket, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { connect } from './client';
import { findPooler } from './find-pooler';
import { openTestDatabase } from './testing/test-database';

const { sql, url } = await openTestDatabase();

it('rejects a bigint beyond 2^53−1', async () => {
  await expect(sql`select ${'9007199254740993'}::bigint as big`).rejects.toThrow(/select it as text/);
});

it('knows PostgreSQL itself from a pooler', async () => {
  expect(await Promise.all([1, 2, 3].map(() => findPooler(url)))).toEqual([false, false, false]);
});

it('reads the array types only once, because a lost connection rejects this read and no caller awaits it', async () => {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let reads = 0;
  const proxy = createServer((inner) => {
    const outer = connectSocket(Number(target.port), target.hostname);
    for (const socket of [inner, outer]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => [inner, outer].map((end) => end.destroy()));
    }
    inner.on('data', (data) => {
      if (!data.includes('typarray')) return;
      reads += 1;
      // A later connection is lost while it reads the types.
      if (reads > 1) inner.resetAndDestroy();
    });
    inner.pipe(outer).pipe(inner);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const through = new URL(url);
  through.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const client = connect(through.href, 1);
  try {
    const read = () => client<{ list: string[] }[]>`select array['a', 'b'] as list`;
    expect(await read()).toEqual([{ list: ['a', 'b'] }]);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => read().catch(() => null)).toEqual([{ list: ['a', 'b'] }]);
    expect(reads).toBe(1);
  } finally {
    await client.end({ timeout: 1 });
    proxy.close();
  }
});
