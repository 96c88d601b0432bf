import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openTestDatabase } from '../testing/test-database';
import { deliver, NOON } from './ingest-testing';
import { openStream, StreamTakenError } from './open-stream';

const { sql } = await openTestDatabase();

const hello = (stream: string, name = 'desk', project = 'shop') => ({
  project,
  runner: { name },
  stream,
  source: 'sdk' as const,
});

describe('opening a stream', () => {
  it('gives concurrent callers the same rows', async () => {
    const stream = randomUUID();
    const opened = await Promise.all(Array.from({ length: 12 }, () => openStream(sql, hello(stream))));
    expect(
      new Set(opened.map(({ streamId, runnerId, projectId }) => `${streamId} ${runnerId} ${projectId}`)).size,
    ).toBe(1);
  });

  it('lists the settled seqs, holes included', async () => {
    const stream = await openStream(sql, hello(randomUUID()));
    expect(stream.received).toEqual([]);
    const turn = (seq: number) => ({
      type: 'turn' as const,
      seq,
      session: 's',
      at: NOON,
      usage: { input: 1 },
    });
    await deliver(sql, stream, [turn(1), turn(2), turn(5)]);
    const ranges = [
      [1, 2],
      [5, 5],
    ];
    expect((await openStream(sql, hello(stream.stream))).received).toEqual(ranges);
  });

  it('refuses a stream of another runner or project', async () => {
    const stream = randomUUID();
    await openStream(sql, hello(stream));
    await expect(openStream(sql, hello(stream, 'other'))).rejects.toThrow(StreamTakenError);
    await expect(openStream(sql, hello(stream, 'desk', 'elsewhere'))).rejects.toThrow(StreamTakenError);
  });

  it('keeps the newest host and version of a runner', async () => {
    const runner = { name: 'moving', host: 'a', version: '1' };
    await openStream(sql, { ...hello(randomUUID()), runner });
    await openStream(sql, { ...hello(randomUUID()), runner: { name: 'moving', version: '2' } });
    expect(await sql`select host, version from runners where name = 'moving'`).toEqual([
      { host: 'a', version: '2' },
    ]);
  });
});
