import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CHUNK_BYTES } from '../../core/api/transcripts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { transact } from '../transact';
import { lockProject } from './change-transcript';
import { findMissing, openFile, putChunk, readRange, removeFiles } from './chunk-store';
import { hashOf, linesOf, makeProject, makeTranscript, splitChunks, storeFile } from './transcripts-testing';

let database: TestDatabase;
let projectId: number;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  projectId = await makeProject(database.sql);
});

async function keep(file: Buffer, session = 'a'): Promise<number> {
  const id = await makeTranscript(database.sql, projectId, session);
  await storeFile(database.sql, { projectId, transcriptId: id, file });
  return id;
}

const remove = (transcriptId: number, of = projectId) =>
  transact(database.sql, async (tx) => {
    await lockProject(tx, of);
    await removeFiles(tx, [transcriptId]);
  });

const chunkCount = async (): Promise<number> => {
  const [row] = await database.sql<{ count: number }[]>`
    select count(*)::int as count from transcript_chunks where project_id = ${projectId}`;
  return row?.count ?? -1;
};

describe('a stored transcript', () => {
  it('is read back byte for byte', async () => {
    const file = Buffer.concat([
      linesOf(CHUNK_BYTES),
      randomBytes(CHUNK_BYTES),
      Buffer.from([0, 0xff, 0xc3, 10]),
    ]);
    const id = await keep(file);
    expect(hashOf(await readRange(database.sql, id))).toBe(hashOf(file));
  });

  it('is read in any byte range', async () => {
    const file = randomBytes(2 * CHUNK_BYTES + 10);
    const id = await keep(file);
    for (const [from, to] of [
      [0, 1],
      [CHUNK_BYTES - 1, CHUNK_BYTES + 1],
      [CHUNK_BYTES, 2 * CHUNK_BYTES],
      [2 * CHUNK_BYTES + 9, 5 * CHUNK_BYTES],
    ] as const) {
      expect(hashOf(await readRange(database.sql, id, from, to))).toBe(hashOf(file.subarray(from, to)));
    }
    expect(await readRange(database.sql, id, file.length)).toHaveLength(0);
    expect(await readRange(database.sql, id, 5, 5)).toHaveLength(0);
  });

  it('lists each missing chunk once', async () => {
    const twice = randomBytes(CHUNK_BYTES);
    const file = Buffer.concat([twice, twice, Buffer.from('end')]);
    const id = await makeTranscript(database.sql, projectId, 'a');
    const chunks = splitChunks(file);
    const hashes = chunks.map(hashOf);
    await transact(database.sql, (tx) =>
      openFile(tx, { projectId, transcriptId: id, bytes: file.length, chunks: hashes }),
    );
    expect(await findMissing(database.sql, id)).toEqual([hashOf(twice), hashOf(Buffer.from('end'))]);
    expect(await putChunk(database.sql, id, hashOf(twice), twice)).toBe(true);
    expect(await findMissing(database.sql, id)).toEqual([hashOf(Buffer.from('end'))]);
  });
});

describe('removing a transcript', () => {
  it('removes only chunks that no other transcript has', async () => {
    const shared = randomBytes(CHUNK_BYTES);
    const first = await keep(Buffer.concat([shared, Buffer.from('first')]));
    const second = await keep(Buffer.concat([shared, Buffer.from('second')]));
    expect(await chunkCount()).toBe(3);
    await remove(first);
    expect(await chunkCount()).toBe(2);
    expect(hashOf(await readRange(database.sql, second))).toBe(
      hashOf(Buffer.concat([shared, Buffer.from('second')])),
    );
    await expect(readRange(database.sql, first)).rejects.toMatchObject({ name: 'TranscriptGoneError' });
    await remove(second);
    expect(await chunkCount()).toBe(0);
  });
});

it('does not share chunks between projects', async () => {
  const file = Buffer.from('the same secret');
  await keep(file);
  const other = await makeProject(database.sql);
  const id = await makeTranscript(database.sql, other, 'a');
  await transact(database.sql, (tx) =>
    openFile(tx, { projectId: other, transcriptId: id, bytes: file.length, chunks: [hashOf(file)] }),
  );
  expect(await findMissing(database.sql, id)).toEqual([hashOf(file)]);
});
