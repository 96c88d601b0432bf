import type { AuditEntry } from '@/core/api/audit';
import type { AuditAction } from '@/core/transcript/audit-actions';
import { formatBytes } from '../../../format/format-bytes';
import { formatCount, formatExact } from '../../../format/format-tokens';
import { visibleText } from '../../../format/visible-text';
import { SETTING_LABEL, type SettingName, settingText } from '../project-fields';

const OWN_WORDS: Partial<Record<AuditAction, string>> = {
  transcript_revealed: 'secrets shown',
  transcript_damaged: 'found damaged',
  log_in_failed: 'log-in failed',
};

/** `settings changed`; for transcripts only the verb: `read`. */
export function actionWords(action: AuditAction): string {
  return OWN_WORDS[action] ?? action.replace(/^transcripts?_/, '').replace('_', ' ');
}

/** Changed settings with their values: `warning 70 %, days 90, size of one default`. */
function setWords(set: unknown): string {
  const changes = Object.entries((set ?? {}) as Record<string, unknown>).map(([name, value]) => {
    if (!Object.hasOwn(SETTING_LABEL, name))
      return `window of ${visibleText(name)} ${typeof value === 'number' ? formatExact(value) : 'removed'}`;
    const known = name as SettingName;
    return `${SETTING_LABEL[known]} ${typeof value === 'number' ? settingText(known, value) : 'default'}`;
  });
  return changes.join(', ');
}

const textOf = (value: unknown) => (typeof value === 'string' ? visibleText(value) : '');

/** The details of an entry: `2 secrets; checking the key`. */
export function detailWords({ detail }: Pick<AuditEntry, 'detail'>): string {
  const { secrets, bytes, reason, words, name, scope, project, set, sessions } = detail;
  const shown = Array.isArray(secrets) ? secrets.length : secrets;
  return [
    words && `“${textOf(words)}”`,
    [name, scope, project].map(textOf).filter(Boolean).join(', '),
    setWords(set),
    typeof shown === 'number' && formatCount(shown, 'secret'),
    typeof sessions === 'number' && formatCount(sessions, 'session'),
    typeof bytes === 'number' && formatBytes(bytes),
    textOf(reason),
  ]
    .filter(Boolean)
    .join('; ');
}
