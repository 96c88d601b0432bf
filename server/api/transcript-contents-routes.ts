/** Reads of what is inside an archived transcript. Nothing of them may be kept on the way, and opening one is written down. */
import { z } from 'zod';
import {
  messagesParameters,
  outlineParameters,
  searchParameters,
  transcriptMessages,
  transcriptOutline,
  transcriptSearch,
} from '../../core/api/transcript-contents';
import { transcriptLost } from '../../core/api/transcript-lost';
import { sourceParameters, transcriptSecrets, transcriptSource } from '../../core/api/transcript-secrets';
import { ContentsTooHeavyError } from '../../db/transcripts/contents/contents-work';
import { type ContentsRow, findContents } from '../../db/transcripts/contents/find-contents';
import { loadLost } from '../../db/transcripts/contents/load-lost';
import { answerMessages, loadSecrets } from '../../db/transcripts/contents/load-messages';
import { answerOutline } from '../../db/transcripts/contents/load-outline';
import { loadSource } from '../../db/transcripts/contents/load-source';
import { searchTranscript } from '../../db/transcripts/contents/search-transcript';
import { createPostgresStore } from '../../db/transcripts/postgres-store';
import { recordAudit } from '../../db/transcripts/record-audit';
import { recordSearch } from '../../db/transcripts/record-search';
import { ChunkDamagedError, TranscriptGoneError } from '../../db/transcripts/transcript-store';
import { type Answer, entry, foundSecret, type ReadRequest, type RouteEntry } from './route-entry';

const JSON_TYPE = 'application/json; charset=utf-8';

const none = z.strictObject({});
/** A page asks for window after window while somebody reads. */
const ONE_READING_MS = 10 * 60_000;

async function ofTranscript(
  request: ReadRequest,
  answer: (row: ContentsRow) => Promise<Answer>,
): Promise<Answer> {
  const row = await findContents(request.sql, request.id);
  if (row === null) return { type: 'missing', field: 'id', reason: 'there is no transcript of this id' };
  try {
    return await answer(row);
  } catch (error) {
    if (error instanceof ChunkDamagedError) {
      const reason = 'bytes of this transcript went bad at rest; the next upload of the same bytes heals it';
      return { type: 'missing', field: 'id', reason };
    }
    if (error instanceof TranscriptGoneError) {
      return { type: 'missing', field: 'id', reason: 'the transcript was deleted' };
    }
    if (!(error instanceof ContentsTooHeavyError)) throw error;
    const reason = `${error.message}; ask for less of it, or save the file`;
    return { type: 'invalid', problem: { code: 'too_heavy', field: 'id', reason } };
  }
}

/** As `ofTranscript`, for what shows text of it. */
function opened(request: ReadRequest, answer: (row: ContentsRow) => Promise<Answer>): Promise<Answer> {
  return ofTranscript(request, async (row) => {
    if (row.state === 'read') {
      const { actor, sql } = request;
      const { transcriptId } = row;
      await recordAudit(sql, { actor, action: 'transcript_read', transcriptId, onceInMs: ONE_READING_MS });
    }
    return answer(row);
  });
}

export const transcriptContentsRoutes: readonly RouteEntry[] = [
  entry({
    path: '/transcripts/{id}/outline',
    operation: 'getTranscriptOutline',
    summary: 'What every entry of a transcript is, its calls, chains and compactions; no text',
    parameters: outlineParameters,
    response: transcriptOutline,
    answer: (request, { as = 'json', count }) =>
      ofTranscript(request, async (row) => ({
        type: 'made',
        contentType: as === 'json' ? JSON_TYPE : 'application/octet-stream',
        parts: [await answerOutline(request.sql, row, { as, count }, request.work)],
      })),
  }),
  entry({
    path: '/transcripts/{id}/messages',
    operation: 'listTranscriptMessages',
    summary: 'Entries of a transcript with their text, secrets masked',
    parameters: messagesParameters,
    response: transcriptMessages,
    answer: (request, { from = 0, count = 50, raw, full }) =>
      opened(request, async (row) => {
        const { sql, work } = request;
        const window = { from, count, raw: raw === '1', full: full === '1' && count === 1 };
        const { entries, ...rest } = await answerMessages(sql, createPostgresStore(sql), row, window, work);
        const around = JSON.stringify(rest);
        const parts = [`${around.slice(0, -1)},"entries":`, entries, '}\n'];
        return { type: 'made', contentType: JSON_TYPE, parts };
      }),
  }),
  entry({
    path: '/transcripts/{id}/search',
    operation: 'searchTranscript',
    summary: 'Places of a phrase in a transcript, in order',
    parameters: searchParameters,
    response: transcriptSearch,
    answer: (request, { q, limit = 500, from = 0 }) =>
      opened(request, async (row) => {
        const { sql, actor, work } = request;
        const { transcriptId } = row;
        const places = await searchTranscript(sql, row, { q, limit, from }, work);
        if (row.state === 'read') {
          await recordSearch(sql, { actor, words: q, transcriptId, found: places.total });
        }
        return foundSecret(places);
      }),
  }),
  entry({
    path: '/transcripts/{id}/lost',
    operation: 'getTranscriptLost',
    summary: 'What the compaction after an archive dropped: the archive against the context that followed',
    parameters: none,
    response: transcriptLost,
    answer: (request) =>
      opened(request, async (row) =>
        foundSecret(await loadLost(request.sql, createPostgresStore(request.sql), row)),
      ),
  }),
  entry({
    path: '/transcripts/{id}/source',
    operation: 'getTranscriptSource',
    summary: 'A piece of the stored bytes as text, secrets masked; also where the content could not be read',
    parameters: sourceParameters,
    response: transcriptSource,
    answer: (request, { from = 0 }) =>
      ofTranscript(request, async (row) => {
        const { actor, sql, work } = request;
        const { transcriptId } = row;
        await recordAudit(sql, { actor, action: 'transcript_read', transcriptId, onceInMs: ONE_READING_MS });
        return foundSecret(await loadSource(createPostgresStore(sql), row, from, work));
      }),
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
        return foundSecret({ id: row.publicId, state: row.state, secrets });
      }),
  }),
];
