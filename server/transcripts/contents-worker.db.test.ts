import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { said, toLines } from '../../core/transcript/testing-transcripts';
import { listTranscripts } from '../../db/queries/transcripts/list-transcripts';
import { createTestDatabase, type TestDatabase } from '../../db/testing/test-database';
import { claimContents } from '../../db/transcripts/contents/claim-contents';
import { findContents } from '../../db/transcripts/contents/find-contents';
import { createPostgresStore } from '../../db/transcripts/postgres-store';
import type { TranscriptStore } from '../../db/transcripts/transcript-store';
import { makeProject, makeTranscript, storeFile } from '../../db/transcripts/transcripts-testing';
import { startContentsWorker } from './contents-worker';
import { type ContentsThread, FileUnreadableError, startContentsThread } from './start-contents-thread';
import { inProcess } from './testing-thread';

let database: TestDatabase;
let store: TranscriptStore;
let projectId: number;
beforeAll(async () => {
  database = await createTestDatabase();
  store = createPostgresStore(database.sql);
  projectId = await makeProject(database.sql, 'harbour');
});
afterAll(() => database.close());

async function keep(text: string, fileName = 'session.jsonl'): Promise<string> {
  const { sql } = database;
  const id = await makeTranscript(sql, projectId, 'a');
  await storeFile(sql, store, { projectId, transcriptId: id, file: Buffer.from(text) });
  const [row] = await sql<{ publicId: string }[]>`
    update transcripts set state = 'stored', file_name = ${fileName}, bytes = ${Buffer.byteLength(text)}
    where id = ${id} returning public_id as "publicId"`;
  return row?.publicId ?? '';
}

const stateOf = async (publicId: string) => {
  const row = await findContents(database.sql, publicId);
  return { state: row?.state, reason: row?.reason };
};

/** Runs a worker until nothing waits any more. */
async function work(startThread: (fileName: string) => ContentsThread = inProcess): Promise<void> {
  const log = pino({ level: 'silent' });
  const worker = startContentsWorker({ sql: database.sql, store, log, intervalMs: 20, startThread });
  await expect
    .poll(
      async () => {
        const [row] = await database.sql<{ left: number }[]>`
          select count(*)::int as left from transcripts t left join transcript_contents c on c.transcript_id = t.id
          where t.state = 'stored' and coalesce(c.state, 'waiting') in ('waiting', 'reading')`;
        return row?.left;
      },
      { timeout: 20_000 },
    )
    .toBe(0);
  await worker.close();
}

describe('the reader of stored transcripts', () => {
  it('marks a file that cannot be read with the reason, and reads the others', async () => {
    const ids = [
      await keep(toLines([said('one')])),
      await keep('x', 'poison.jsonl'),
      await keep(toLines([said('two')])),
    ];
    await work((fileName) =>
      fileName === 'poison.jsonl'
        ? {
            ask: () => Promise.reject(new FileUnreadableError('it is poisonous')),
            close: () => Promise.resolve(),
          }
        : inProcess(fileName),
    );
    expect(await Promise.all(ids.map(stateOf))).toEqual([
      { state: 'read', reason: null },
      { state: 'failed', reason: 'it is poisonous' },
      { state: 'read', reason: null },
    ]);
  });

  it('gives up a file whose reading ended the process three times', async () => {
    const id = await keep(toLines([said('three')]));
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect(await claimContents(database.sql)).not.toBeNull();
      // The process is gone; nobody keeps the claim.
      await database.sql`update transcript_contents set claimed_until = now() - interval '1 second' where state = 'reading'`;
    }
    await work();
    expect((await stateOf(id)).state).toBe('failed');
  });

  it('goes on with a file that another process had begun, and leaves nothing of it twice', async () => {
    const id = await keep(toLines([said('unfinished business of the harbour')]));
    await claimContents(database.sql);
    await database.sql`update transcript_contents set claimed_until = now() - interval '1 second' where state = 'reading'`;
    await work();
    expect((await stateOf(id)).state).toBe('read');
    const { transcripts } = await listTranscripts(database.sql, { q: 'unfinished business' });
    expect(transcripts.map((row) => [row.id, row.hitCount])).toEqual([[id, 1]]);
  });

  it('ends a thread that takes too long, and says so', async () => {
    const thread = startContentsThread('a.jsonl', { requestMs: 1, memoryMegabytes: 256 });
    const bytes = new TextEncoder().encode(toLines([said('x'.repeat(200_000))]));
    await expect(thread.ask({ type: 'scan', bytes })).rejects.toThrow('takes longer than 0.001 s');
    await expect(thread.ask({ type: 'finish' })).rejects.toThrow(FileUnreadableError);
    await thread.close();
  });
});

describe('the list of transcripts', () => {
  it('is narrowed by a phrase together with its other filters, with hits in context', async () => {
    const id = await keep(toLines([said('nothing here'), said('the lighthouse keeper wrote a log')]));
    await work();
    const { transcripts, total, isSearchComplete } = await listTranscripts(database.sql, {
      q: 'Lighthouse KEEPER',
    });
    expect([total, isSearchComplete]).toEqual([1, true]);
    const [row] = transcripts;
    expect(row).toMatchObject({
      id,
      hitCount: 1,
      hits: [{ line: 1, excerpt: 'the lighthouse keeper wrote a log' }],
    });
    expect(row?.hits[0]?.marks).toEqual([[4, 21]]);
    const elsewhere = await listTranscripts(database.sql, { q: 'lighthouse keeper', project: ['other'] });
    expect(elsewhere.total).toBe(0);
    expect((await listTranscripts(database.sql, { q: '?!' })).total).toBe(0);
    expect((await listTranscripts(database.sql, { q: ' ' })).total).toBeGreaterThan(1);
  });
});
