/** Stored transcripts with read contents, for tests of the API. */
import type postgres from 'postgres';
import {
  answered,
  boundary,
  said,
  summary,
  toLines,
  toolResult,
  toolUse,
} from '../../../core/transcript/testing-transcripts';
import { claimContents } from '../../../db/transcripts/contents/claim-contents';
import { makeProject } from '../../../db/transcripts/transcripts-testing';
import { readContents } from '../../transcripts/read-contents';
import { inProcess } from '../../transcripts/testing/in-process';
import { keepTranscript } from '../../transcripts/testing/keep-transcript';

export const SECRET = `ghp_${'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5'}`;
const OWNER = '0190b0a0-0000-7000-8000-00000000000a';

/** A message, a file that is read, and a compaction that drops both. */
export const compacted = (message: string, file: string, content: string): string =>
  toLines([
    said(message),
    answered(toolUse('t', 'Read', { file_path: file }), { call: 'a', input: 5_000 }),
    toolResult('t', content),
    boundary(),
    summary('All is well.'),
  ]);

/** @returns the id of the transcript */
export async function storeTranscript(
  sql: postgres.Sql,
  { project, session, text }: Record<'project' | 'session' | 'text', string>,
): Promise<string> {
  const projectId = await makeProject(sql, project);
  const { publicId } = await keepTranscript(sql, projectId, text, { session, version: 'completed' });
  const claimed = await claimContents(sql, OWNER);
  if (claimed === null) throw new Error('the transcript waits to be read');
  await readContents(sql, claimed, inProcess);
  return publicId;
}
