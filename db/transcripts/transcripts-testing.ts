/** For tests that need transcripts in a store. */
import { createHash, randomUUID } from 'node:crypto';
import type postgres from 'postgres';
import { type ArchiveOffer, type ArchiveProgress, CHUNK_BYTES } from '../../core/api/transcripts';
import { sessionId } from '../../core/identity/session-id';
import { transact } from '../transact';
import { lockProject } from './change-transcript';
import { openFile, putChunk } from './chunk-store';
import { completeArchive } from './complete-archive';
import { offerArchive } from './offer-archive';

export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Transcript-like lines, which compress well; different for each name. */
export function linesOf(bytes: number, name: string = randomUUID()): Buffer {
  const parts: string[] = [];
  for (let size = 0, n = 0; size < bytes; n += 1) {
    const uuid = hashOf(Buffer.from(`${name} ${n}`));
    const text = `{"uuid":"${uuid}","text":"${'word '.repeat(20)}"}\n`;
    parts.push(text);
    size += text.length;
  }
  return Buffer.from(parts.join('')).subarray(0, bytes);
}

export function splitChunks(file: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < file.length; at += CHUNK_BYTES) chunks.push(file.subarray(at, at + CHUNK_BYTES));
  return chunks;
}

/** @returns the project's id. The default name is random. */
export async function makeProject(sql: postgres.Sql, name = `project-${randomUUID()}`): Promise<number> {
  const [row] = await sql<{ id: number }[]>`insert into projects (name) values (${name}) returning id`;
  if (!row) throw new Error('a project was made');
  return row.id;
}

/** Insert a transcript; its session need not exist. @returns `transcripts.id` */
export async function makeTranscript(sql: postgres.Sql, projectId: number, session: string): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    insert into transcripts (project_id, session, session_key, archive, state, at)
    values (${projectId}, ${sessionId(String(projectId), session)}, ${session}, ${randomUUID()}, 'uploading', now())
    returning id`;
  if (!row) throw new Error('a transcript was made');
  return row.id;
}

/** Stores a file as an upload does. */
export async function storeFile(
  sql: postgres.Sql,
  { projectId, transcriptId, file }: { projectId: number; transcriptId: number; file: Buffer },
): Promise<void> {
  const chunks = splitChunks(file);
  await transact(sql, async (tx) => {
    await lockProject(tx, projectId);
    const hashes = chunks.map(hashOf);
    await openFile(tx, { projectId, transcriptId, bytes: file.length, chunks: hashes });
  });
  for (const chunk of chunks) await putChunk(sql, transcriptId, hashOf(chunk), chunk);
}

/** A runner's offer of a file. */
export function offerOf(file: Buffer, given: Partial<ArchiveOffer> = {}): ArchiveOffer {
  return {
    archive: randomUUID(),
    project: 'shop',
    session: 'one',
    at: '2026-11-20T10:00:00.000Z',
    trigger: 'auto',
    version: 'hook',
    fileName: 'session.jsonl',
    path: '/home/me/session.jsonl',
    host: 'desk',
    bytes: file.length,
    lines: 1,
    sha256: hashOf(file),
    chunks: splitChunks(file).map(hashOf),
    ...given,
  };
}

/** Offers a file, sends the missing chunks, and completes the upload. @returns the offer and the answers */
export async function handOver(
  sql: postgres.Sql,
  file: Buffer,
  given: Partial<ArchiveOffer> = {},
): Promise<{ offer: ArchiveOffer; id: number; missing: string[]; result: ArchiveProgress }> {
  const offer = offerOf(file, given);
  const { missing } = await offerArchive(sql, offer);
  const [row] = await sql<{ id: number }[]>`select id from transcripts where archive = ${offer.archive}`;
  const id = row?.id ?? 0;
  for (const chunk of splitChunks(file)) {
    if (missing.includes(hashOf(chunk))) await putChunk(sql, id, hashOf(chunk), chunk);
  }
  return { offer, id, missing, result: await completeArchive(sql, offer.archive) };
}
