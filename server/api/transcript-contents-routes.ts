/** Reads of what is inside an archived transcript. Nothing of them may be kept on the way, and opening one is written down. */
import { z } from 'zod';
import {
  messagesParameters,
  searchParameters,
  transcriptLost,
  transcriptMessages,
  transcriptOutline,
  transcriptSearch,
  transcriptSecrets,
} from '../../core/api/transcript-contents';
import { type ContentsRow, findContents } from '../../db/transcripts/contents/find-contents';
import { loadLost } from '../../db/transcripts/contents/load-lost';
import { loadMessages, loadSecrets } from '../../db/transcripts/contents/load-messages';
import { loadOutline } from '../../db/transcripts/contents/load-outline';
import { searchTranscript } from '../../db/transcripts/contents/search-transcript';
import { createPostgresStore } from '../../db/transcripts/postgres-store';
import { recordAudit, searchedWords } from '../../db/transcripts/record-audit';
import { ChunkDamagedError, TranscriptGoneError } from '../../db/transcripts/transcript-store';
import { type Answer, entry, foundSecret, type ReadRequest, type RouteEntry } from './route-entry';

const none = z.strictObject({});
/** A page asks for window after window while somebody reads. */
const ONE_READING_MS = 10 * 60_000;

async function ofTranscript(
  request: ReadRequest,
  body: (row: ContentsRow) => Promise<unknown>,
): Promise<Answer> {
  const row = await findContents(request.sql, request.id);
  if (row === null) return { type: 'missing', field: 'id', reason: 'there is no transcript of this id' };
  try {
    return foundSecret(await body(row));
  } catch (error) {
    if (error instanceof ChunkDamagedError) {
      const reason = 'bytes of this transcript went bad at rest; the next upload of the same bytes heals it';
      return { type: 'missing', field: 'id', reason };
    }
    if (!(error instanceof TranscriptGoneError)) throw error;
    return { type: 'missing', field: 'id', reason: 'the transcript was deleted' };
  }
}

/** As `ofTranscript`, for what shows text of it. */
function opened(request: ReadRequest, body: (row: ContentsRow) => Promise<unknown>): Promise<Answer> {
  return ofTranscript(request, async (row) => {
    if (row.state === 'read') {
      const { actor, sql } = request;
      const { transcriptId } = row;
      await recordAudit(sql, { actor, action: 'transcript_read', transcriptId, onceInMs: ONE_READING_MS });
    }
    return body(row);
  });
}

export const transcriptContentsRoutes: readonly RouteEntry[] = [
  entry({
    path: '/transcripts/{id}/outline',
    operation: 'getTranscriptOutline',
    summary: 'What every entry of a transcript is, its calls, chains and compactions; no text',
    parameters: none,
    response: transcriptOutline,
    answer: (request) => ofTranscript(request, (row) => loadOutline(request.sql, row)),
  }),
  entry({
    path: '/transcripts/{id}/messages',
    operation: 'listTranscriptMessages',
    summary: 'Entries of a transcript with their text, secrets masked',
    parameters: messagesParameters,
    response: transcriptMessages,
    answer: (request, { from = 0, count = 50, raw, full }) =>
      opened(request, (row) => {
        const window = { from, count, raw: raw === '1', full: full === '1' && count === 1 };
        return loadMessages(request.sql, createPostgresStore(request.sql), row, window);
      }),
  }),
  entry({
    path: '/transcripts/{id}/search',
    operation: 'searchTranscript',
    summary: 'Places of a phrase in a transcript, in order',
    parameters: searchParameters,
    response: transcriptSearch,
    answer: (request, { q, limit = 500 }) =>
      opened(request, async (row) => {
        const { sql, actor } = request;
        const { transcriptId } = row;
        const detail = { words: searchedWords(q) };
        const action = 'transcripts_searched';
        await recordAudit(sql, { actor, action, transcriptId, detail, onceInMs: ONE_READING_MS });
        return searchTranscript(sql, row, { q, limit });
      }),
  }),
  entry({
    path: '/transcripts/{id}/lost',
    operation: 'getTranscriptLost',
    summary: 'What the compaction after an archive dropped: the archive against the context that followed',
    parameters: none,
    response: transcriptLost,
    answer: (request) =>
      opened(request, (row) => loadLost(request.sql, createPostgresStore(request.sql), row)),
  }),
  entry({
    path: '/transcripts/{id}/secrets',
    operation: 'listTranscriptSecrets',
    summary: 'Places of a transcript that look like secrets; never what stands there',
    parameters: none,
    response: transcriptSecrets,
    answer: (request) =>
      ofTranscript(request, async (row) => {
        const rows = await loadSecrets(request.sql, row.transcriptId, 0, row.entries);
        const secrets = rows.map(({ secret, rule, entry: at, line }) => ({ secret, rule, entry: at, line }));
        return { id: row.publicId, state: row.state, secrets };
      }),
  }),
];
