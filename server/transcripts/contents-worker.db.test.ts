import pino from 'pino';
import { afterAll, describe, expect, it } from 'vitest';
import { said, toLines } from '../../core/transcript/testing-transcripts';
import { serverUrlOf, setOwner } from '../../db/access';
import { connect } from '../../db/client';
import { createTestDatabase } from '../../db/testing/test-database';
import { TranscriptGoneError } from '../../db/transcripts/chunk-store';
import { claimContents, endClaim, keepClaim } from '../../db/transcripts/contents/claim-contents';
import { findContents } from '../../db/transcripts/contents/load-contents';
import { clearContents } from '../../db/transcripts/contents/write-contents';
import { makeProject } from '../../db/transcripts/transcripts-testing';
import { startContentsWorker } from './contents-worker';
import { inProcess } from './testing/in-process';
import { keepTranscript } from './testing/keep-transcript';
import { FileUnreadableError, type startContentsThread } from './thread-pools';

const OWNER = '0190b0a0-0000-7000-8000-00000000000a';

const database = await createTestDatabase();
const { sql } = database;
const projectId = await makeProject(sql, 'harbour');
/** With the role of the server, which owns no table. */
const server = connect(serverUrlOf(database.url), 4);
setOwner(server, sql);
const warnings: string[] = [];
const log = pino({ level: 'warn' }, { write: (line: string) => warnings.push(line) });
afterAll(async () => {
  await server.end();
  await database.close();
});

const keep = async (text: string, fileName = 'session.jsonl') =>
  (await keepTranscript(sql, projectId, text, { fileName })).publicId;
const READ = { state: 'read', reason: null };

const stateOf = async (publicId: string) => {
  const row = await findContents(sql, publicId);
  return { state: row?.state, reason: row?.reason };
};

const startWorker = (startThread: typeof startContentsThread = inProcess) =>
  startContentsWorker({ sql: server, log, intervalMs: 20, startThread });

/** Run a worker until the queue is empty. */
async function work(startThread?: typeof startContentsThread): Promise<void> {
  const worker = startWorker(startThread);
  await expect
    .poll(async () => {
      const [row] = await sql<{ left: number }[]>`
          select count(*)::int as left from transcripts t left join transcript_contents c on c.transcript_id = t.id
          where t.state = 'stored' and coalesce(c.state, 'waiting') in ('waiting', 'reading')`;
      return row?.left;
    })
    .toBe(0);
  await worker.close();
}

describe('the reader of stored transcripts', () => {
  it('reads a file without a warning', async () => {
    const id = await keep(toLines([said('hello')]));
    await work();
    expect(await stateOf(id)).toEqual(READ);
    expect(warnings).toEqual([]);
  });

  it('marks an unreadable file with the reason, and reads the other files', async () => {
    const ids = [
      await keep(toLines([said('one')])),
      await keep('x', 'poison.jsonl'),
      await keep(toLines([said('two')])),
    ];
    await work((source) =>
      source.fileName === 'poison.jsonl'
        ? { ...inProcess(source), scan: () => Promise.reject(new FileUnreadableError('it is poisonous')) }
        : inProcess(source),
    );
    expect(await Promise.all(ids.map(stateOf))).toEqual([
      READ,
      { state: 'failed', reason: 'it is poisonous' },
      READ,
    ]);
  });

  it('drops a file that crashed its reader three times', async () => {
    const id = await keep(toLines([said('three')]));
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect(await claimContents(sql, OWNER)).not.toBeNull();
      // The process is gone, so the claim expires.
      await sql`update transcript_contents set claimed_until = now() - interval '1 second' where state = 'reading'`;
    }
    await work();
    expect((await stateOf(id)).state).toBe('failed');
  });

  it('fails a file at its time limit, and reads small files in the meantime', async () => {
    const slow = await keep(`${toLines([said('slow')])}${' '.repeat(9_000_000)}`, 'slow.jsonl');
    const small = [await keep(toLines([said('four')])), await keep(toLines([said('five')]))];
    let isStarted = false;
    // The task is busy until the other files are read, and then fails.
    const scan = async () => {
      isStarted = true;
      await expect.poll(() => Promise.all(small.map(stateOf))).toEqual([READ, READ]);
      throw new FileUnreadableError('reading it takes longer than 1 s');
    };
    const worker = startWorker((source) => ({
      ...inProcess(source),
      ...(source.fileName === 'slow.jsonl' && { scan }),
    }));
    await expect.poll(() => isStarted).toBe(true);
    await expect
      .poll(() => stateOf(slow))
      .toEqual({ state: 'failed', reason: 'reading it takes longer than 1 s' });
    await worker.close();
  });

  it('retries other failures after the other files, at most three times', async () => {
    const broken = await keep(toLines([said('broken')]), 'broken.jsonl');
    const others = [await keep(toLines([said('six')])), await keep(toLines([said('seven')]))];
    const order: string[] = [];
    const worker = startWorker((source) => {
      order.push(source.fileName);
      if (source.fileName !== 'broken.jsonl') return inProcess(source);
      return { ...inProcess(source), scan: () => Promise.reject(new TypeError('of our own')) };
    });
    await expect.poll(() => Promise.all(others.map(stateOf))).toEqual([READ, READ]);
    await expect
      .poll(async () => {
        // The pause before another try is over.
        await sql`update transcript_contents set claimed_until = null where state = 'waiting'`;
        return stateOf(broken);
      })
      .toEqual({ state: 'failed', reason: 'the content could not be stored: of our own' });
    expect(order.filter((name) => name === 'broken.jsonl')).toHaveLength(3);
    await worker.close();
  });

  it('skips claimed files, and writes nothing after losing its claim', async () => {
    const id = await keep(toLines([said('claimed')]));
    const [mine, theirs] = ['0190b0a0-0000-7000-8000-00000000000b', '0190b0a0-0000-7000-8000-00000000000c'];
    const first = await claimContents(sql, mine);
    expect(await claimContents(sql, theirs)).toBeNull();
    await sql`update transcript_contents set claimed_until = now() - interval '1 second' where state = 'reading'`;
    const second = await claimContents(sql, theirs);
    if (first === null || second === null) throw new Error('it waits to be read');
    expect([first.owner, second.owner]).toEqual([mine, theirs]);
    expect(await keepClaim(sql, first)).toBe(false);
    await endClaim(sql, first, 'failed', 'I know better');
    await endClaim(sql, first, 'released');
    await expect(clearContents(sql, first)).rejects.toThrow(TranscriptGoneError);
    expect((await stateOf(id)).state).toBe('reading');
    expect(await keepClaim(sql, second)).toBe(true);
    await endClaim(sql, second, 'released');
    await work();
    expect((await stateOf(id)).state).toBe('read');
  });
});
