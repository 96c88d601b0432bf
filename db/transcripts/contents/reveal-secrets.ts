import type postgres from 'postgres';
import type { Revealed, RevealRequest } from '../../../core/api/transcript-secrets';
import { resolveJsonEscapes } from '../../../core/secrets/resolve-json';
import { recordAudit } from '../record-audit';
import type { TranscriptStore } from '../transcript-store';
import type { ContentsRow } from './find-contents';
import { collect } from './load-messages';
import type { SecretRow } from './shape-messages';

/** Longer secrets are cut: no key is that long. */
const MAX_VALUE_BYTES = 64 * 1024;
const SECRETS_A_PAGE = 200;
/** The pages of one reveal are one entry of the audit log. */
const ONE_REVEAL_MS = 60_000;

/**
 * The values of masked secrets, a page at a time, after the audit log has recorded it. A secret that spans entries is
 * listed for each.
 * @returns null when the transcript has no secrets
 */
export async function revealSecrets(
  sql: postgres.Sql,
  store: Pick<TranscriptStore, 'read'>,
  row: ContentsRow,
  { from: first = 0, reason, actor }: RevealRequest & { actor: string },
): Promise<Revealed | null> {
  if (row.secrets === 0) return null;
  await recordAudit(sql, {
    actor,
    action: 'transcript_revealed',
    transcriptId: row.transcriptId,
    detail: { secrets: row.secrets, reason: reason ?? null },
    onceInMs: ONE_REVEAL_MS,
  });
  const rows = await sql<SecretRow[]>`
    select secret, entry, line, from_byte as "from", to_byte as "to", rule from transcript_secrets
    where transcript_id = ${row.transcriptId} and secret >= ${first} and secret < ${first + SECRETS_A_PAGE}
    order by from_byte`;
  const secrets: Revealed['secrets'] = [];
  for (const { secret, rule, entry, line, from, to } of rows) {
    const bytes = await collect(store.read(row.transcriptId, from, Math.min(to, from + MAX_VALUE_BYTES)));
    const text = bytes.toString('utf8').replace(/\r?\n$/, '');
    secrets.push({
      secret,
      rule,
      entry,
      line,
      value: row.format === 'text' ? text : resolveJsonEscapes(text),
    });
  }
  const next = first + SECRETS_A_PAGE;
  return { secrets, next: next < row.secrets ? next : null };
}
