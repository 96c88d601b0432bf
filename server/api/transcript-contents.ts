/** Content of archived transcripts. No cache may keep it, and every reading is recorded in the audit log. */
import { createRoute } from '@hono/zod-openapi';
import type { TypedResponse } from 'hono';
import { noParameters } from '../../core/api/parameters';
import {
  messagesParameters,
  outlineParameters,
  searchParameters,
  transcriptBlock,
  transcriptEntry,
  transcriptMessages,
  transcriptOutline,
  transcriptSearch,
  transcriptSecret,
} from '../../core/api/transcript-contents';
import { transcriptLost } from '../../core/api/transcript-lost';
import {
  revealed,
  revealRequest,
  sourceParameters,
  transcriptSecrets,
  transcriptSource,
} from '../../core/api/transcript-secrets';
import {
  answerMessages,
  answerOutline,
  type ContentsRow,
  findContents,
  loadSecrets,
  loadSource,
  revealSecrets,
} from '../../db/transcripts/contents/load-contents';
import { loadLost } from '../../db/transcripts/contents/load-lost';
import { searchTranscript } from '../../db/transcripts/contents/search-contents';
import { recordAudit, recordSearch } from '../../db/transcripts/record-audit';
import {
  type ApiContext,
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
import { noTranscript, transcriptParams } from './transcripts';

const notKept = { 'Cache-Control': 'no-store' };
/** A page loads window after window during one reading. */
const ONE_READING_MS = 10 * 60_000;

named('TranscriptEntry', transcriptEntry);
named('TranscriptBlock', transcriptBlock);
named('TranscriptSecret', transcriptSecret);

/** @throws ApiError */
async function requireContents(c: ApiContext, id: string): Promise<ContentsRow> {
  const row = await findContents(c.var.sql, id);
  if (row === null) throw noTranscript();
  return row;
}

async function recordReading(c: ApiContext, { transcriptId }: ContentsRow): Promise<void> {
  const { actor, sql } = c.var;
  await recordAudit(sql, { actor, action: 'transcript_read', transcriptId, onceInMs: ONE_READING_MS });
}

/** As `requireContents`, for answers with text of the transcript. */
async function openContents(c: ApiContext, id: string): Promise<ContentsRow> {
  const row = await requireContents(c, id);
  if (row.state === 'read') await recordReading(c, row);
  return row;
}

export const transcriptContentsApi = createApi();

/** An answer whose JSON was made elsewhere. */
function prepared(c: ApiContext, parts: readonly (string | Uint8Array)[]) {
  const bytes = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  const answer = c.body(bytes, 200, { ...notKept, 'Content-Type': 'application/json; charset=utf-8' });
  return answer as unknown as TypedResponse<never, 200, 'json'>;
}

transcriptContentsApi.openapi(
  createRoute({
    method: 'get',
    path: '/transcripts/{id}/outline',
    operationId: 'getTranscriptOutline',
    summary: 'Kind of every entry of a transcript, its calls, chains and compactions, without text',
    middleware: allow('read'),
    request: { params: transcriptParams, query: outlineParameters },
    responses: { 200: json(named('TranscriptOutline', transcriptOutline)), ...readErrors },
  }),
  async (c) => {
    const { count } = c.req.valid('query');
    const row = await requireContents(c, c.req.valid('param').id);
    const outline = await answerOutline(c.var.sql, row, count, c.var.work);
    return prepared(c, [outline]);
  },
);

transcriptContentsApi.openapi(
  createRoute({
    method: 'get',
    path: '/transcripts/{id}/messages',
    operationId: 'listTranscriptMessages',
    summary: 'Entries of a transcript with their text, secrets masked',
    middleware: allow('read'),
    request: { params: transcriptParams, query: messagesParameters },
    responses: { 200: json(named('TranscriptMessages', transcriptMessages)), ...readErrors },
  }),
  async (c) => {
    const { sql, work } = c.var;
    const { from = 0, count = 50, raw, full } = c.req.valid('query');
    const row = await openContents(c, c.req.valid('param').id);
    const range = { from, count, raw: raw === '1', full: full === '1' && count === 1 };
    const { entries, ...rest } = await answerMessages(sql, row, range, work);
    const head = JSON.stringify(rest).slice(0, -1);
    return prepared(c, [`${head},"entries":`, entries, '}\n']);
  },
);

transcriptContentsApi.openapi(
  createRoute({
    method: 'get',
    path: '/transcripts/{id}/search',
    operationId: 'searchTranscript',
    summary: 'Matches of a phrase in a transcript, in order',
    middleware: allow('read'),
    request: { params: transcriptParams, query: searchParameters },
    responses: { 200: json(named('TranscriptSearch', transcriptSearch)), ...readErrors },
  }),
  async (c) => {
    const { sql, actor, work } = c.var;
    const { q, limit = 500, from = 0 } = c.req.valid('query');
    const row = await openContents(c, c.req.valid('param').id);
    const matches = await searchTranscript(sql, row, { q, limit, from }, work);
    if (row.state === 'read') {
      await recordSearch(sql, { actor, words: q, transcriptId: row.transcriptId, found: matches.total });
    }
    return c.json(matches, 200, notKept);
  },
);

transcriptContentsApi.openapi(
  createRoute({
    method: 'get',
    path: '/transcripts/{id}/lost',
    operationId: 'getTranscriptLost',
    summary: 'What the compaction after an archive dropped: the archive against the context that followed',
    middleware: allow('read'),
    request: { params: transcriptParams, query: noParameters },
    responses: { 200: json(named('TranscriptLost', transcriptLost)), ...readErrors },
  }),
  async (c) => {
    const row = await openContents(c, c.req.valid('param').id);
    return c.json(await loadLost(c.var.sql, row), 200, notKept);
  },
);

transcriptContentsApi.openapi(
  createRoute({
    method: 'get',
    path: '/transcripts/{id}/source',
    operationId: 'getTranscriptSource',
    summary: 'Part of the stored bytes as text, secrets masked; also of content that could not be parsed',
    middleware: allow('read'),
    request: { params: transcriptParams, query: sourceParameters },
    responses: { 200: json(named('TranscriptSource', transcriptSource)), ...readErrors },
  }),
  async (c) => {
    const { from = 0 } = c.req.valid('query');
    const row = await requireContents(c, c.req.valid('param').id);
    await recordReading(c, row);
    return c.json(await loadSource(c.var.sql, row, from, c.var.work), 200, notKept);
  },
);

transcriptContentsApi.openapi(
  createRoute({
    method: 'get',
    path: '/transcripts/{id}/secrets',
    operationId: 'listTranscriptSecrets',
    summary: 'Places of a transcript that look like secrets, without their values',
    middleware: allow('read'),
    request: { params: transcriptParams, query: noParameters },
    responses: { 200: json(named('TranscriptSecrets', transcriptSecrets)), ...readErrors },
  }),
  async (c) => {
    const row = await requireContents(c, c.req.valid('param').id);
    const rows = await loadSecrets(c.var.sql, row.transcriptId);
    const secrets = rows.map(({ secret, rule, entry, line }) => ({ secret, rule, entry, line }));
    return c.json({ id: row.publicId, state: row.state, secrets }, 200, notKept);
  },
);

transcriptContentsApi.openapi(
  createRoute({
    method: 'post',
    path: '/transcripts/{id}/reveal',
    operationId: 'revealTranscriptSecrets',
    summary: 'Reveal masked secrets; recorded in the audit log first',
    middleware: [allow('admin'), readJson] as const,
    request: { params: transcriptParams, ...requestBody(named('RevealRequest', revealRequest)) },
    responses: { 200: json(named('Revealed', revealed)), ...changeErrors },
  }),
  async (c) => {
    const { sql, actor } = c.var;
    const row = await requireContents(c, c.req.valid('param').id);
    const secrets = await revealSecrets(sql, row, { ...c.req.valid('json'), actor });
    if (secrets === null) throw notFound('secrets', 'the transcript has no such places');
    return c.json(secrets, 200, notKept);
  },
);
