import { revealed, revealRequest } from '../../core/api/transcript-secrets';
import { findContents } from '../../db/transcripts/contents/find-contents';
import { revealSecrets } from '../../db/transcripts/contents/reveal-secrets';
import { createPostgresStore } from '../../db/transcripts/postgres-store';
import { type ChangeAnswer, type ChangeEntry, change } from './change-entry';

const noSuch = (field: string, reason: string): ChangeAnswer => ({
  ok: false,
  status: 404,
  code: 'not_found',
  field,
  reason,
});

/** It changes the audit log: each asking stands there. */
export const revealRoutes: readonly ChangeEntry[] = [
  change({
    method: 'POST',
    path: '/transcripts/{id}/reveal',
    operation: 'revealTranscriptSecrets',
    summary: 'Tells what stands behind masked places; who asked for which is written to the audit log first',
    body: revealRequest,
    response: revealed,
    apply: async ({ sql, id, actor }, body) => {
      const row = await findContents(sql, id);
      if (row === null) return noSuch('id', 'there is no transcript of this id');
      const told = await revealSecrets(sql, createPostgresStore(sql), row, { ...body, actor });
      if (told === null) return noSuch('secrets', 'the transcript has no such places');
      return { ok: true, status: 200, body: told };
    },
  }),
];
