/** Archived transcripts: the list, their bytes, their deletion, and the audit log. */
import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { auditEntry, auditList, listAuditParameters } from '../../core/api/audit';
import { noParameters } from '../../core/api/parameters';
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
import { deleteTranscript } from '../../db/transcripts/delete-transcript';
import { recordAudit, recordSearch } from '../../db/transcripts/record-audit';
import {
  ApiError,
  allow,
  changeErrors,
  createApi,
  json,
  named,
  notFound,
  readErrors,
  readJson,
  requestBody,
} from './api';
import { saveBytes } from './files';

named('AuditEntry', auditEntry);
const oneTranscript = named('Transcript', transcriptRow);
export const transcriptParams = z.object({ id: z.string().describe('Id of a transcript') });
export const noTranscript = () => notFound('id', 'there is no transcript with this id');

const BYTES = { 'application/octet-stream': { schema: z.string().meta({ format: 'binary' }) } };

export const transcriptsApi = createApi();

transcriptsApi.openapi(
  createRoute({
    method: 'get',
    path: '/transcripts',
    operationId: 'listTranscripts',
    summary: 'Transcripts that are stored, uploading, failed, skipped or deleted, one page at a time',
    middleware: allow('read'),
    request: { query: listTranscriptsParameters },
    responses: { 200: json(named('TranscriptList', transcriptList)), ...readErrors },
  }),
  async (c) => {
    const { sql, actor, work } = c.var;
    const parameters = c.req.valid('query');
    const { q, project = [] } = parameters;
    const list = await listTranscripts(sql, parameters, { work });
    if (q === undefined) return c.json(list, 200);
    await recordSearch(sql, { actor, words: q, projects: project, found: list.total });
    // Search results hold text of transcripts, which no cache may keep.
    return c.json(list, 200, { 'Cache-Control': 'no-store' });
  },
);

transcriptsApi.openapi(
  createRoute({
    method: 'get',
    path: '/transcripts/{id}',
    operationId: 'getTranscript',
    summary: 'One transcript, without its content',
    middleware: allow('read'),
    request: { params: transcriptParams, query: noParameters },
    responses: { 200: json(oneTranscript), ...readErrors },
  }),
  async (c) => {
    const loaded = await loadTranscript(c.var.sql, c.req.valid('param').id);
    if (!loaded) throw noTranscript();
    return c.json(loaded.transcript, 200);
  },
);

transcriptsApi.openapi(
  createRoute({
    method: 'get',
    path: '/transcripts/{id}/content',
    operationId: 'downloadTranscript',
    summary: 'Original bytes as a file, whole or a range, secrets included; recorded in the audit log',
    // Secrets that a token of scope read sees masked must not be readable here.
    middleware: allow('admin'),
    request: { params: transcriptParams, query: noParameters },
    responses: {
      200: { description: 'OK', content: BYTES },
      206: { description: 'The range that was asked for', content: BYTES },
      416: { description: 'The range begins behind the end' },
      ...readErrors,
    },
  }),
  async (c) => {
    const { sql, actor } = c.var;
    const loaded = await loadTranscript(sql, c.req.valid('param').id);
    if (!loaded) throw noTranscript();
    const { key, transcript } = loaded;
    const { state, bytes, sha256, fileName } = transcript;
    if (state !== 'stored' || bytes === null || sha256 === null) {
      throw notFound('id', `the bytes of this transcript are not here: it is ${state}`);
    }
    return saveBytes(c, {
      name: fileName ?? `${transcript.id}.jsonl`,
      bytes,
      sha256,
      onRead: (detail) =>
        recordAudit(sql, {
          actor,
          action: 'transcript_downloaded',
          transcriptId: key,
          detail: { from: detail.from, to: detail.to },
        }),
      read: (from, to) => readFile(sql, key, from, to),
    });
  },
);

transcriptsApi.openapi(
  createRoute({
    method: 'delete',
    path: '/transcripts/{id}',
    operationId: 'deleteTranscript',
    summary:
      'Delete a transcript permanently, with all that was derived from it; a row with the reason remains',
    middleware: [allow('admin'), readJson] as const,
    request: { params: transcriptParams, ...requestBody(named('TranscriptDeletion', transcriptDeletion)) },
    responses: { 200: json(oneTranscript), ...changeErrors },
  }),
  async (c) => {
    const { sql, actor } = c.var;
    const { id } = c.req.valid('param');
    if (!(await loadTranscript(sql, id))) throw noTranscript();
    const { reason } = c.req.valid('json');
    const isDeleted = await deleteTranscript(sql, id, { reason, actor, action: 'transcript_deleted' });
    const now = await loadTranscript(sql, id);
    if (!now) throw noTranscript();
    if (isDeleted) return c.json(now.transcript, 200, { 'Cache-Control': 'no-store' });
    const why = now.transcript.reason ? `: ${now.transcript.reason}` : '';
    throw new ApiError(409, 'deleted', 'id', `it was deleted before${why}`);
  },
);

transcriptsApi.openapi(
  createRoute({
    method: 'get',
    path: '/audit',
    operationId: 'listAudit',
    summary: 'Audit log of transcripts, settings, tokens and the store, the newest first',
    middleware: allow('read', 'admin'),
    request: { query: listAuditParameters },
    responses: { 200: json(named('AuditList', auditList)), ...readErrors },
  }),
  async (c) => c.json(await listAudit(c.var.sql, c.req.valid('query')), 200),
);
