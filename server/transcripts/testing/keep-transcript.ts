import type postgres from 'postgres';
import { makeTranscript, storeFile } from '../../../db/transcripts/transcripts-testing';

export async function keepTranscript(
  sql: postgres.Sql,
  projectId: number,
  text: string,
  { session = 'a', fileName = 'session.jsonl', version = 'hook', summary = null as string | null } = {},
): Promise<{ id: number; publicId: string }> {
  const id = await makeTranscript(sql, projectId, session);
  await storeFile(sql, { projectId, transcriptId: id, file: Buffer.from(text) });
  const [row] = await sql<{ publicId: string }[]>`
    update transcripts set state = 'stored', file_name = ${fileName}, version = ${version}, bytes = ${Buffer.byteLength(text)}
    where id = ${id} returning public_id as "publicId"`;
  await sql`update transcript_files set summary = ${summary} where transcript_id = ${id}`;
  return { id, publicId: row?.publicId ?? '' };
}
