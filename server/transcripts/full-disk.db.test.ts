/** A full disk: the chunks are on a file system of a few megabytes. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type ArchiveProgress, CHUNK_BYTES } from '../../core/api/transcripts';
import { connect } from '../../db/client';
import { chooseAccount } from '../../db/embedded/account';
import { createToken } from '../../db/queries/tokens';
import { createTestDatabase, type TestDatabase } from '../../db/testing/test-database';
import { readRange } from '../../db/transcripts/chunk-store';
import { hashOf, offerOf, splitChunks } from '../../db/transcripts/transcripts-testing';
import { type IngestServer, startIngestServer } from '../ingest/testing/start-ingest-server';

const TABLESPACE = 'tiny_disk';
const folder = mkdtempSync(join(tmpdir(), 'barograph-disk-'));
const disk = join(folder, 'disk');

/** Why it cannot be mounted; null: it is mounted. */
function mountTiny(): string | null {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0)
    return 'only root on Linux can mount a small disk';
  chmodSync(folder, 0o711);
  mkdirSync(disk);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m,mode=0700', 'tmpfs', disk], { stdio: 'pipe' });
    return null;
  } catch {
    return 'this machine cannot mount a disk';
  }
}
const whyNot = mountTiny();

let database: TestDatabase | undefined;
let server: IngestServer | undefined;
let token: string;

async function asAdmin(statement: string): Promise<void> {
  const admin = connect(inject('testDatabase').adminUrl, 1);
  try {
    await admin.unsafe(statement);
  } finally {
    await admin.end();
  }
}

beforeAll(async () => {
  if (whyNot !== null) return;
  const { switchTo } = await chooseAccount();
  if (switchTo) chownSync(disk, switchTo.uid, switchTo.gid);
  await asAdmin(`create tablespace ${TABLESPACE} location '${disk}'`);
  database = await createTestDatabase();
  await database.sql.unsafe(`alter table transcript_chunks set tablespace ${TABLESPACE}`);
  token = await createToken(database.sql, { name: 'runner', scope: 'ingest' });
  server = await startIngestServer(database.url);
});
afterAll(async () => {
  try {
    await server?.close();
    await database?.close();
    if (whyNot === null) await asAdmin(`drop tablespace if exists ${TABLESPACE}`);
  } finally {
    // Lazily: whatever still holds it must not keep the folder.
    if (whyNot === null) execFileSync('umount', ['-l', disk]);
    rmSync(folder, { recursive: true, force: true });
  }
});

function send(method: string, path: string, body: BodyInit | null = null): Promise<Response> {
  return fetch(`${server?.url}/v1/archives${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body,
  });
}

it('answers 507, notes the reason at the transcript, and resumes the upload once there is room', async (context) => {
  if (whyNot !== null || !database) return context.skip(whyNot ?? 'no database');
  const { sql } = database;
  const file = randomBytes(10 * CHUNK_BYTES);
  const offer = offerOf(file);
  const chunks = splitChunks(file);
  const put = (chunk: Buffer) =>
    send('PUT', `/${offer.archive}/chunks/${hashOf(chunk)}`, new Uint8Array(chunk));
  await send('POST', '', JSON.stringify(offer));
  let kept = 0;
  let answer = await put(chunks[0] ?? file);
  while (answer.status === 204) {
    kept += 1;
    answer = await put(chunks[kept] ?? file);
  }
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThan(6);
  expect({ status: answer.status, ...(await answer.json()) }).toMatchObject({
    status: 507,
    code: 'disk_full',
    reason: "The disk of the server's database is full; send this again later.",
  });
  expect(answer.headers.get('retry-after')).toBe('30');
  const rowOf = async () => {
    const [row] = await sql`
      select id, state, reason from transcripts where archive = ${offer.archive}`;
    return row;
  };
  await expect
    .poll(rowOf)
    .toMatchObject({ state: 'uploading', reason: expect.stringContaining('database is full') });
  execFileSync('mount', ['-o', 'remount,size=64m', disk]);
  const again: ArchiveProgress = await (await send('POST', '', JSON.stringify(offer))).json();
  expect(again.missing).toHaveLength(chunks.length - kept);
  for (const chunk of chunks.slice(kept)) expect((await put(chunk)).status).toBe(204);
  const done: ArchiveProgress = await (await send('POST', `/${offer.archive}/complete`)).json();
  expect(done.state).toBe('stored');
  const row = await rowOf();
  expect(row).toMatchObject({ state: 'stored', reason: null });
  expect(hashOf(await readRange(sql, row?.id))).toBe(offer.sha256);
}, 60_000);
