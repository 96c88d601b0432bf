/** What somebody did with a transcript, in words. */
import type { AuditEntry } from '@/core/api/audit';
import type { AuditAction } from '@/core/transcript/audit-actions';
import { formatBytes } from '../../format/format-bytes';
import { formatCount } from '../../format/format-tokens';
import { visibleText } from '../text/visible-text';

export const ACTION_WORDS: Readonly<Record<AuditAction, string>> = {
  transcript_read: 'read',
  transcript_downloaded: 'downloaded',
  transcript_revealed: 'secrets shown',
  transcript_deleted: 'deleted',
  transcript_expired: 'expired',
  transcripts_searched: 'searched',
  transcript_damaged: 'found damaged',
  transcript_healed: 'healed',
  transcript_delayed: 'held up',
};

/** `2 secrets; “checking the key”`: what belongs to it, as far as it is told. */
export function detailWords({ detail }: Pick<AuditEntry, 'detail'>): string {
  const parts: string[] = [];
  const { secrets, bytes, reason, words } = detail;
  if (typeof words === 'string') parts.push(`“${visibleText(words)}”`);
  const shown = Array.isArray(secrets) ? secrets.length : secrets;
  if (typeof shown === 'number') parts.push(formatCount(shown, 'secret'));
  if (typeof bytes === 'number') parts.push(formatBytes(bytes));
  if (typeof reason === 'string' && reason !== '') parts.push(visibleText(reason));
  return parts.join('; ');
}
