/** Archived transcripts: the list, their bytes, their deletion, and the audit log. */
import * as z from 'zod';
import { auditEntry, auditList, listAuditParameters } from '../../core/api/audit';
import {
  listTranscriptsParameters,
  transcriptDeletion,
  transcriptList,
  transcriptRow,
} from '../../core/api/transcripts';
import { listAudit } from '../../db/queries/transcripts/list-audit';
import { listTranscripts } from '../../db/queries/transcripts/list-transcripts';
import { loadTranscript } from '../../db/queries/transcripts/transcript-row';
import { readFile } from '../../db/transcripts/chunk-store';
import { deleteTranscript } from '../../db/transcripts/end-transcript';
import { recordAudit, recordSearch } from '../../db/transcripts/record-audit';
import { addRoute, NOT_KEPT } from './add-route';
import { ApiError, createApi, named, notFound } from './api';
import { saveBytes } from './files';

named('AuditEntry', auditEntry);
const oneTranscript = named('Transcript', transcriptRow);
export const transcriptParams = z.object({ id: z.string().describe('Id of a transcript') });
export const noTranscript = () => notFound('id', 'there is no transcript with this id');

const BYTES = { 'application/octet-stream': { schema: z.string().meta({ format: 'binary' }) } };

export const transcriptsApi = createApi();

addRoute(transcriptsApi, 'GET /transcripts', {
  operationId: 'listTranscripts',
  summary: 'Transcripts in any state, one page at a time',
  query: listTranscriptsParameters,
  shape: named('TranscriptList', transcriptList),
  answer: async (c, { query }) => {
    const { sql, actor, work } = c.var;
    const { q, project = [] } = query;
    const list = await listTranscripts(sql, query, { work });
    if (q === undefined) return list;
    await recordSearch(sql, { actor, words: q, projects: project, found: list.total });
    // Search results hold text of transcripts, which no cache may keep.
    return c.json(list, 200, NOT_KEPT);
  },
});

addRoute(transcriptsApi, 'GET /transcripts/{id}', {
  operationId: 'getTranscript',
  summary: 'One transcript, without its content',
  shape: oneTranscript,
  params: transcriptParams,
  answer: async (c, { params }) => {
    const loaded = await loadTranscript(c.var.sql, params.id);
    if (!loaded) throw noTranscript();
    return loaded.transcript;
  },
});

addRoute(transcriptsApi, 'GET /transcripts/{id}/content', {
  operationId: 'downloadTranscript',
  summary: 'Original bytes as a file, whole or a range, secrets included; recorded in the audit log',
  // Secrets that a token of scope read sees masked must not be readable here.
  rights: ['admin'],
  shape: z.never(),
  responses: {
    200: { description: 'OK', content: BYTES },
    206: { description: 'The requested range', content: BYTES },
    416: { description: 'The range begins after the end of the file' },
  },
  params: transcriptParams,
  answer: async (c, { params }) => {
    const { sql, actor } = c.var;
    const loaded = await loadTranscript(sql, params.id);
    if (!loaded) throw noTranscript();
    const { key, transcript } = loaded;
    const { state, bytes, sha256, fileName } = transcript;
    if (state !== 'stored' || bytes === null || sha256 === null) {
      throw notFound('id', `the server does not have the bytes of this transcript: its state is ${state}`);
    }
    return saveBytes(c, {
      name: fileName ?? `${transcript.id}.jsonl`,
      bytes,
      sha256,
      onRead: (detail) =>
        recordAudit(sql, { actor, action: 'transcript_downloaded', transcriptId: key, detail }),
      read: (from, to) => readFile(sql, key, from, to),
    });
  },
});

addRoute(transcriptsApi, 'DELETE /transcripts/{id}', {
  operationId: 'deleteTranscript',
  summary: 'Delete a transcript permanently, with everything derived from it. A row with the reason remains',
  body: named('TranscriptDeletion', transcriptDeletion),
  shape: oneTranscript,
  params: transcriptParams,
  answer: async (c, { params, body }) => {
    const { sql, actor } = c.var;
    if (!(await loadTranscript(sql, params.id))) throw noTranscript();
    const isDeleted = await deleteTranscript(sql, params.id, {
      ...body,
      actor,
      action: 'transcript_deleted',
    });
    const now = await loadTranscript(sql, params.id);
    if (!now) throw noTranscript();
    if (isDeleted) return now.transcript;
    const why = now.transcript.reason ? `: ${now.transcript.reason}` : '';
    throw new ApiError(409, 'deleted', 'id', `it was deleted before${why}`);
  },
});

addRoute(transcriptsApi, 'GET /audit', {
  operationId: 'listAudit',
  summary: 'Audit log of transcripts, settings, tokens and the store, the newest first',
  rights: ['read', 'admin'],
  query: listAuditParameters,
  shape: named('AuditList', auditList),
  answer: async (c, { query }) => listAudit(c.var.sql, query),
});
