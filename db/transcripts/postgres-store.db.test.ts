import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CHUNK_BYTES } from '../../core/api/transcripts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { transact } from '../transact';
import { packChunk } from './pack-chunk';
import { createPostgresStore } from './postgres-store';
import { lockProject, type TranscriptStore } from './transcript-store';
import { collect, hashOf, makeProject, makeTranscript, splitChunks, storeFile } from './transcripts-testing';

let database: TestDatabase;
let store: TranscriptStore;
let projectId: number;
beforeAll(async () => {
  database = await createTestDatabase();
  store = createPostgresStore(database.sql);
});
afterAll(() => database.close());
beforeEach(async () => {
  projectId = await makeProject(database.sql);
});

/** Lines like those of a transcript: they shrink, but not to nothing. */
function lines(bytes: number): Buffer {
  const parts: string[] = [];
  for (let size = 0; size < bytes; ) {
    const text = `{"type":"assistant","uuid":"${randomBytes(16).toString('hex')}","text":"${'word '.repeat(40)}"}\n`;
    parts.push(text);
    size += text.length;
  }
  return Buffer.from(parts.join('')).subarray(0, bytes);
}

async function keep(file: Buffer, session = 'a'): Promise<number> {
  const id = await makeTranscript(database.sql, projectId, session);
  await storeFile(database.sql, store, { projectId, transcriptId: id, file });
  return id;
}

const remove = (transcriptId: number, of = projectId) =>
  transact(database.sql, async (tx) => {
    await lockProject(tx, of);
    await store.remove(tx, transcriptId);
  });

/** In place of its bytes at rest those of another chunk: no byte that is flipped is sure to change what they unpack to. */
async function spoil(sha256: string): Promise<void> {
  const { encoding, data } = await packChunk(lines(2_000));
  const spoilt = await database.sql`
    update transcript_chunks set data = ${data}, encoding = ${encoding}
    where project_id = ${projectId} and sha256 = decode(${sha256}, 'hex') and data is not null returning 1`;
  expect(spoilt).toHaveLength(1);
}

const chunkCount = async (): Promise<number> => {
  const [row] = await database.sql<{ count: number }[]>`
    select count(*)::int as count from transcript_chunks where project_id = ${projectId}`;
  return row?.count ?? -1;
};

describe('a stored transcript', () => {
  it('comes back byte for byte, whatever its bytes are', async () => {
    const file = Buffer.concat([
      lines(CHUNK_BYTES),
      randomBytes(CHUNK_BYTES),
      Buffer.from([0, 0xff, 0xc3, 10]),
    ]);
    const id = await keep(file);
    expect(hashOf(await collect(store.read(id)))).toBe(hashOf(file));
  });

  it('is read from any byte to any other', async () => {
    const file = randomBytes(2 * CHUNK_BYTES + 10);
    const id = await keep(file);
    for (const [from, to] of [
      [0, 1],
      [CHUNK_BYTES - 1, CHUNK_BYTES + 1],
      [CHUNK_BYTES, 2 * CHUNK_BYTES],
      [2 * CHUNK_BYTES + 9, 5 * CHUNK_BYTES],
    ] as const) {
      expect(hashOf(await collect(store.read(id, from, to)))).toBe(hashOf(file.subarray(from, to)));
    }
    expect(await collect(store.read(id, file.length))).toHaveLength(0);
    expect(await collect(store.read(id, 5, 5))).toHaveLength(0);
  });

  it('that is empty has no chunk and is read as nothing', async () => {
    const id = await keep(Buffer.alloc(0));
    expect(await store.findMissing(id)).toEqual([]);
    expect(await collect(store.read(id))).toHaveLength(0);
  });

  it('names the chunks that are not here, each once', async () => {
    const twice = randomBytes(CHUNK_BYTES);
    const file = Buffer.concat([twice, twice, Buffer.from('end')]);
    const id = await makeTranscript(database.sql, projectId, 'a');
    const chunks = splitChunks(file);
    const hashes = chunks.map(hashOf);
    await transact(database.sql, (tx) =>
      store.open(tx, { projectId, transcriptId: id, bytes: file.length, chunks: hashes }),
    );
    expect(await store.findMissing(id)).toEqual([hashOf(twice), hashOf(Buffer.from('end'))]);
    expect(await store.put(id, hashOf(twice), twice)).toBe(true);
    expect(await store.findMissing(id)).toEqual([hashOf(Buffer.from('end'))]);
  });

  it('takes no chunk that its file does not have', async () => {
    const id = await keep(Buffer.from('one'));
    expect(await store.put(id, hashOf(Buffer.from('two')), Buffer.from('two'))).toBe(false);
    expect(await store.put(0, hashOf(Buffer.from('two')), Buffer.from('two'))).toBe(false);
  });

  it('says so when a chunk was spoilt, and takes it again', async () => {
    const file = lines(CHUNK_BYTES + 1_000);
    const id = await keep(file);
    const [first] = splitChunks(file);
    if (!first) throw new Error('the file has a chunk');
    await spoil(hashOf(first));
    await expect(collect(store.read(id))).rejects.toMatchObject({
      name: 'ChunkDamagedError',
      sha256: hashOf(first),
    });
    expect(await store.findMissing(id)).toEqual([hashOf(first)]);
    await store.put(id, hashOf(first), first);
    expect(hashOf(await collect(store.read(id)))).toBe(hashOf(file));
  });

  it('archived ten times while it grows costs little more than once', async () => {
    const whole = lines(3 * CHUNK_BYTES + 700_000);
    const ids: number[] = [];
    for (let n = 1; n <= 10; n += 1) {
      ids.push(await keep(whole.subarray(0, Math.floor((whole.length * n) / 10) - 1)));
    }
    const tenTimes = await store.measure(projectId);
    const once = await makeProject(database.sql).then(async (other) => {
      const id = await makeTranscript(database.sql, other, 'a');
      const file = whole.subarray(0, whole.length - 1);
      await storeFile(database.sql, store, { projectId: other, transcriptId: id, file });
      return store.measure(other);
    });
    expect(tenTimes / once).toBeLessThan(1.05);
    expect(once).toBeLessThan(whole.length / 2);
    for (const [n, id] of ids.entries()) {
      const file = whole.subarray(0, Math.floor((whole.length * (n + 1)) / 10) - 1);
      expect(hashOf(await collect(store.read(id)))).toBe(hashOf(file));
    }
  });

  it('shares bytes also when the longer one came first', async () => {
    const whole = lines(200_000);
    await keep(whole);
    const before = await store.measure(projectId);
    const id = await keep(whole.subarray(0, 150_000));
    expect(await store.measure(projectId)).toBe(before);
    expect(hashOf(await collect(store.read(id)))).toBe(hashOf(whole.subarray(0, 150_000)));
  });

  it('does not share with what only looks alike', async () => {
    const whole = lines(200_000);
    const other = Buffer.from(whole.subarray(0, 150_000));
    other[10] = (other[10] ?? 0) ^ 1;
    await keep(whole);
    const id = await keep(other);
    expect(hashOf(await collect(store.read(id)))).toBe(hashOf(other));
  });
});

describe('removing a transcript', () => {
  it('takes away what no other one has, and nothing else', async () => {
    const shared = randomBytes(CHUNK_BYTES);
    const first = await keep(Buffer.concat([shared, Buffer.from('first')]));
    const second = await keep(Buffer.concat([shared, Buffer.from('second')]));
    expect(await chunkCount()).toBe(3);
    await remove(first);
    expect(await chunkCount()).toBe(2);
    expect(hashOf(await collect(store.read(second)))).toBe(
      hashOf(Buffer.concat([shared, Buffer.from('second')])),
    );
    await expect(collect(store.read(first))).rejects.toMatchObject({ name: 'TranscriptGoneError' });
    await remove(second);
    expect(await chunkCount()).toBe(0);
  });

  it('leaves of a longer one nothing behind the end of those that shared its bytes', async () => {
    const whole = lines(300_000);
    const short = await keep(whole.subarray(0, 100_000));
    const middle = await keep(whole.subarray(0, 200_000));
    const long = await keep(whole);
    await remove(long);
    expect(hashOf(await collect(store.read(short)))).toBe(hashOf(whole.subarray(0, 100_000)));
    expect(hashOf(await collect(store.read(middle)))).toBe(hashOf(whole.subarray(0, 200_000)));
    const own = await database.sql`
      select bytes from transcript_chunks where project_id = ${projectId} and data is not null`;
    expect([...own]).toEqual([{ bytes: 200_000 }]);
  });

  it('takes with it what refers to the file', async () => {
    const id = await keep(Buffer.from('x'));
    await remove(id);
    const [left] = await database.sql`
      select count(*)::int as parts from transcript_parts where transcript_id = ${id}`;
    expect(left).toEqual({ parts: 0 });
  });
});

it('one project knows nothing of the chunks of another', async () => {
  const file = Buffer.from('the same secret');
  await keep(file);
  const other = await makeProject(database.sql);
  const id = await makeTranscript(database.sql, other, 'a');
  await transact(database.sql, (tx) =>
    store.open(tx, { projectId: other, transcriptId: id, bytes: file.length, chunks: [hashOf(file)] }),
  );
  expect(await store.findMissing(id)).toEqual([hashOf(file)]);
});
