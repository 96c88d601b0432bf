/** Words for entries of the audit log. */
import type { AuditEntry } from '@/core/api/audit';
import type { AuditAction } from '@/core/transcript/audit-actions';
import { formatBytes } from '../../../format/format-bytes';
import { formatCount } from '../../../format/format-tokens';
import { visibleText } from '../../../format/visible-text';
import { SETTING_LABEL, type SettingName, settingText } from '../project-fields';

export const ACTION_WORDS: Readonly<Record<AuditAction, string>> = {
  transcript_read: 'read',
  transcript_downloaded: 'downloaded',
  transcript_revealed: 'secrets shown',
  transcript_deleted: 'deleted',
  transcript_expired: 'expired',
  transcripts_searched: 'searched',
  transcript_damaged: 'found damaged',
  transcript_healed: 'healed',
  settings_changed: 'settings changed',
  token_created: 'token created',
  token_revoked: 'token revoked',
};

/** Changed settings with their values: `warning 70 %, days 90, size of one default`. */
function setWords(set: unknown): string {
  if (typeof set !== 'object' || set === null) return '';
  return Object.entries(set)
    .map(([name, value]) => {
      if (!(name in SETTING_LABEL)) return name;
      const known = name as SettingName;
      return `${SETTING_LABEL[known]} ${typeof value === 'number' ? settingText(known, value) : 'default'}`;
    })
    .join(', ');
}

/** The details of an entry: `2 secrets; checking the key`. */
export function detailWords({ detail }: Pick<AuditEntry, 'detail'>): string {
  const parts: string[] = [];
  const { secrets, bytes, reason, words, name, scope, set } = detail;
  if (typeof words === 'string') parts.push(`“${visibleText(words)}”`);
  if (typeof name === 'string') {
    parts.push(`${visibleText(name)}${typeof scope === 'string' ? `, ${scope}` : ''}`);
  }
  if (set !== undefined) parts.push(setWords(set));
  const shown = Array.isArray(secrets) ? secrets.length : secrets;
  if (typeof shown === 'number') parts.push(formatCount(shown, 'secret'));
  if (typeof bytes === 'number') parts.push(formatBytes(bytes));
  if (typeof reason === 'string' && reason !== '') parts.push(visibleText(reason));
  return parts.join('; ');
}
