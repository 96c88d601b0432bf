import type postgres from 'postgres';
import type { Revealed, RevealRequest } from '../../../core/api/transcript-secrets';
import { resolveJsonEscapes } from '../../../core/secrets/resolve-json';
import { recordAudit } from '../record-audit';
import type { TranscriptStore } from '../transcript-store';
import type { ContentsRow } from './find-contents';
import { collect } from './load-messages';
import type { SecretRow } from './shape-messages';

/** Longer places are cut: no key is. */
const MAX_VALUE_BYTES = 64 * 1024;

/**
 * What stands behind masked places, after the asking was written down. Null: the transcript has none of them. Each is
 * told for every entry it lies in.
 */
export async function revealSecrets(
  sql: postgres.Sql,
  store: Pick<TranscriptStore, 'read'>,
  row: ContentsRow,
  { secrets, reason, actor }: RevealRequest & { actor: string },
): Promise<Revealed | null> {
  const rows = await sql<SecretRow[]>`
    select secret, entry, line, from_byte as "from", to_byte as "to", rule from transcript_secrets
    where transcript_id = ${row.transcriptId} and secret = any(${secrets}::int[]) order by from_byte`;
  if (rows.length === 0) return null;
  const places = [...new Set(rows.map(({ secret }) => secret))];
  await recordAudit(sql, {
    actor,
    action: 'transcript_revealed',
    transcriptId: row.transcriptId,
    detail: { secrets: places, rules: [...new Set(rows.map(({ rule }) => rule))], reason: reason ?? null },
  });
  const told: Revealed['secrets'] = [];
  for (const { secret, rule, entry, line, from, to } of rows) {
    const bytes = await collect(store.read(row.transcriptId, from, Math.min(to, from + MAX_VALUE_BYTES)));
    const text = bytes.toString('utf8').replace(/\r?\n$/, '');
    told.push({ secret, rule, entry, line, value: row.format === 'text' ? text : resolveJsonEscapes(text) });
  }
  return { secrets: told };
}
