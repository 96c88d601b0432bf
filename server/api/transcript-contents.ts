/** Content of archived transcripts. No cache may keep it, and the audit log records every read of its text. */
import {
  messagesParameters,
  outlineParameters,
  revealed,
  revealRequest,
  searchParameters,
  sourceParameters,
  transcriptBlock,
  transcriptEntry,
  transcriptMessages,
  transcriptOutline,
  transcriptSearch,
  transcriptSecret,
  transcriptSecrets,
  transcriptSource,
} from '../../core/api/transcript-contents';
import { lostParameters, transcriptLost } from '../../core/api/transcript-lost';
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
import { addRoute, NOT_KEPT } from './add-route';
import { type ApiContext, createApi, named, notFound } from './api';
import { noTranscript, transcriptParams } from './transcripts';

/** Reads by one actor within this time are one audit entry, because a page loads many parts. */
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

/** As `requireContents`, but also records the read, for answers with text. */
async function openContents(c: ApiContext, id: string): Promise<ContentsRow> {
  const row = await requireContents(c, id);
  if (row.state === 'read') await recordReading(c, row);
  return row;
}

export const transcriptContentsApi = createApi();

function prepared(c: ApiContext, parts: readonly (string | Uint8Array)[]) {
  const bytes = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  return c.body(bytes, 200, { ...NOT_KEPT, 'Content-Type': 'application/json; charset=utf-8' });
}

addRoute(transcriptContentsApi, 'GET /transcripts/{id}/outline', {
  operationId: 'getTranscriptOutline',
  summary: 'Kind of every entry of a transcript, its calls, chains and compactions, without text',
  query: outlineParameters,
  shape: named('TranscriptOutline', transcriptOutline),
  params: transcriptParams,
  answer: async (c, { params, query }) => {
    const { count } = query;
    const row = await requireContents(c, params.id);
    const outline = await answerOutline(c.var.sql, row, count, c.var.work);
    return prepared(c, [outline]);
  },
});

addRoute(transcriptContentsApi, 'GET /transcripts/{id}/messages', {
  operationId: 'listTranscriptMessages',
  summary: 'Entries of a transcript with their text, secrets masked',
  query: messagesParameters,
  shape: named('TranscriptMessages', transcriptMessages),
  params: transcriptParams,
  answer: async (c, { params, query }) => {
    const { sql, work } = c.var;
    const { from = 0, count = 50, raw, full } = query;
    const row = await openContents(c, params.id);
    const range = { from, count, raw: raw === '1', full: full === '1' && count === 1 };
    const { entries, ...rest } = await answerMessages(sql, row, range, work);
    const head = JSON.stringify(rest).slice(0, -1);
    return prepared(c, [`${head},"entries":`, entries, '}\n']);
  },
});

addRoute(transcriptContentsApi, 'GET /transcripts/{id}/search', {
  operationId: 'searchTranscript',
  summary: 'Matches of a phrase in a transcript, in order',
  query: searchParameters,
  shape: named('TranscriptSearch', transcriptSearch),
  isPrivate: true,
  params: transcriptParams,
  answer: async (c, { params, query }) => {
    const { sql, actor, work } = c.var;
    const { q, limit = 500, from = 0 } = query;
    const row = await openContents(c, params.id);
    const matches = await searchTranscript(sql, row, { q, limit, from }, work);
    if (row.state === 'read') {
      await recordSearch(sql, { actor, words: q, transcriptId: row.transcriptId, found: matches.total });
    }
    return matches;
  },
});

addRoute(transcriptContentsApi, 'GET /transcripts/{id}/lost', {
  operationId: 'getTranscriptLost',
  summary: 'What a compaction dropped: the archive compared with the following context',
  shape: named('TranscriptLost', transcriptLost),
  isPrivate: true,
  params: transcriptParams,
  query: lostParameters,
  answer: async (c, { params, query }) => {
    const row = await openContents(c, params.id);
    return loadLost(c.var.sql, row, query.at);
  },
});

addRoute(transcriptContentsApi, 'GET /transcripts/{id}/source', {
  operationId: 'getTranscriptSource',
  summary: 'Part of the stored bytes as text with masked secrets, also if the content could not be parsed',
  query: sourceParameters,
  shape: named('TranscriptSource', transcriptSource),
  isPrivate: true,
  params: transcriptParams,
  answer: async (c, { params, query }) => {
    const { from = 0 } = query;
    const row = await requireContents(c, params.id);
    await recordReading(c, row);
    return loadSource(c.var.sql, row, from, c.var.work);
  },
});

addRoute(transcriptContentsApi, 'GET /transcripts/{id}/secrets', {
  operationId: 'listTranscriptSecrets',
  summary: 'Places of a transcript that look like secrets, without their values',
  shape: named('TranscriptSecrets', transcriptSecrets),
  isPrivate: true,
  params: transcriptParams,
  answer: async (c, { params }) => {
    const row = await requireContents(c, params.id);
    const rows = await loadSecrets(c.var.sql, row.transcriptId);
    const secrets = rows.map(({ secret, rule, entry, line }) => ({ secret, rule, entry, line }));
    return { id: row.publicId, state: row.state, secrets };
  },
});

addRoute(transcriptContentsApi, 'POST /transcripts/{id}/reveal', {
  operationId: 'revealTranscriptSecrets',
  summary: 'Reveal masked secrets; recorded in the audit log first',
  body: named('RevealRequest', revealRequest),
  shape: named('Revealed', revealed),
  params: transcriptParams,
  answer: async (c, { params, body }) => {
    const { sql, actor } = c.var;
    const row = await requireContents(c, params.id);
    const secrets = await revealSecrets(sql, row, { ...body, actor });
    if (secrets === null) throw notFound('id', 'this transcript has no masked secrets');
    return secrets;
  },
});
