/** Archived transcripts: what there is, their bytes, and who saw them. */
import { z } from 'zod';
import { auditList, listAuditParameters } from '../../core/api/audit';
import {
  listTranscriptsParameters,
  transcriptDeletion,
  transcriptList,
  transcriptRow,
} from '../../core/api/transcripts';
import { listAudit } from '../../db/queries/transcripts/list-audit';
import { listTranscripts } from '../../db/queries/transcripts/list-transcripts';
import { loadTranscript } from '../../db/queries/transcripts/load-transcript';
import { deleteTranscript } from '../../db/transcripts/delete-transcript';
import { createPostgresStore } from '../../db/transcripts/postgres-store';
import { recordAudit } from '../../db/transcripts/record-audit';
import { recordSearch } from '../../db/transcripts/record-search';
import { type ChangeAnswer, type ChangeEntry, change } from './change-entry';
import { type Answer, entry, found, foundSecret, type RouteEntry } from './route-entry';

const none = z.strictObject({});

const noSuchTranscript: Answer = {
  type: 'missing',
  field: 'id',
  reason: 'there is no transcript of this id',
};

export const transcriptRoutes: readonly RouteEntry[] = [
  entry({
    path: '/transcripts',
    operation: 'listTranscripts',
    summary: 'Everything archived, on its way, failed, skipped or deleted, a page at a time',
    parameters: listTranscriptsParameters,
    response: transcriptList,
    // With a phrase it holds what transcripts say, and no cache may keep that.
    answer: async ({ sql, actor, work, heldUp }, parameters) => {
      const { q, project = [] } = parameters;
      const list = await listTranscripts(sql, parameters, { work, heldUp });
      if (q === undefined) return found(list);
      await recordSearch(sql, { actor, words: q, projects: project, found: list.total });
      return foundSecret(list);
    },
  }),
  entry({
    path: '/transcripts/{id}',
    operation: 'getTranscript',
    summary: 'One transcript: what is known of it without looking inside',
    parameters: none,
    response: transcriptRow,
    answer: async ({ sql, id, heldUp }) => {
      const loaded = await loadTranscript(sql, id, heldUp);
      return loaded ? found(loaded.transcript) : noSuchTranscript;
    },
  }),
  entry({
    path: '/transcripts/{id}/content',
    operation: 'downloadTranscript',
    summary:
      'Its original bytes as a file, whole or a range of them, secrets included; written down in the audit log',
    // What is masked for a token of scope read must not be had by another path.
    scopes: ['admin'],
    parameters: none,
    response: transcriptRow,
    isBytes: true,
    answer: async ({ sql, id, actor }) => {
      const loaded = await loadTranscript(sql, id);
      if (!loaded) return noSuchTranscript;
      const { key, transcript } = loaded;
      const { state, bytes, sha256, fileName } = transcript;
      if (state !== 'stored' || bytes === null || sha256 === null) {
        const reason = `the bytes of this transcript are not here: it is ${state}`;
        return { type: 'missing', field: 'id', reason };
      }
      const store = createPostgresStore(sql);
      return {
        type: 'bytes',
        file: {
          name: fileName ?? `${transcript.id}.jsonl`,
          bytes,
          sha256,
          onRead: ({ from, to }) => {
            const action = 'transcript_downloaded';
            return recordAudit(sql, { actor, action, transcriptId: key, detail: { from, to } });
          },
          read: (from, to) => store.read(key, from, to),
        },
      };
    },
  }),
  entry({
    path: '/audit',
    operation: 'listAudit',
    summary:
      'Who read, searched, saved, unmasked or deleted transcripts, changed settings, and what the store found; the newest first',
    scopes: ['read', 'admin'],
    parameters: listAuditParameters,
    response: auditList,
    answer: async ({ sql }, parameters) => found(await listAudit(sql, parameters)),
  }),
];

const notFound: ChangeAnswer = {
  ok: false,
  status: 404,
  code: 'not_found',
  field: 'id',
  reason: 'there is no transcript of this id',
};

export const transcriptChangeRoutes: readonly ChangeEntry[] = [
  change({
    method: 'DELETE',
    path: '/transcripts/{id}',
    operation: 'deleteTranscript',
    summary:
      'Deletes a transcript for good: its bytes and what was read from them. A row with the reason stays',
    body: transcriptDeletion,
    response: transcriptRow,
    apply: async ({ sql, id, actor }, { reason }) => {
      if (!(await loadTranscript(sql, id))) return notFound;
      const result = await deleteTranscript(sql, id, { reason, actor, action: 'transcript_deleted' });
      const now = await loadTranscript(sql, id);
      if (result.type === 'unknown' || !now) return notFound;
      if (result.type === 'deleted') return { ok: true, status: 200, body: now.transcript };
      const why = `it was deleted before${now.transcript.reason ? `: ${now.transcript.reason}` : ''}`;
      return { ok: false, status: 409, code: 'deleted', field: 'id', reason: why };
    },
  }),
];
