/** Retention of a project in words, and the question what it deletes. */
import type { RetentionPreview } from '@/core/api/retention';
import type { OwnTranscriptSettings } from '@/core/api/transcript-settings';
import { TRANSCRIPT_RETENTION_NAMES } from '@/core/transcript/keep-settings';
import { formatBytes } from '../../format/format-bytes';
import { formatCount, formatExact } from '../../format/format-tokens';
import { settingText } from './project-fields';

/** The search of a deletion preview; null: the retention is unchanged or empty. */
export function retentionQuestion(
  change: Partial<OwnTranscriptSettings>,
  own: OwnTranscriptSettings,
): string | null {
  const params = new URLSearchParams();
  for (const name of TRANSCRIPT_RETENTION_NAMES) {
    const value = name in change ? change[name] : own[name];
    if (value != null) params.set(name, String(value));
  }
  const isChanged = TRANSCRIPT_RETENTION_NAMES.some((name) => name in change);
  return isChanged && params.size > 0 ? params.toString() : null;
}

/** `90 days · 20 GB · newest 5 of a session`; empty: everything is kept. */
export function retentionWords(own: OwnTranscriptSettings): string {
  const { keepDays, keepStoredBytes, keepPerSession, keepTurnDays } = own;
  return [
    keepDays !== null && formatCount(keepDays, 'day'),
    keepStoredBytes !== null && settingText('keepStoredBytes', keepStoredBytes),
    keepPerSession !== null && `newest ${formatExact(keepPerSession)} of a session`,
    keepTurnDays !== null && `turns ${formatCount(keepTurnDays, 'day')}`,
  ]
    .filter((part) => part !== false)
    .join(' · ');
}

/** What saving the retention deletes, in a sentence. */
export function dueWords({ due, kept }: RetentionPreview, day: (at: string) => string): string {
  if (due.transcripts === 0) return 'Deletes nothing now.';
  const days = [...new Set([day(due.oldestAt ?? ''), day(due.newestAt ?? '')])];
  return `Deletes ${formatExact(due.transcripts)} of ${formatCount(kept.transcripts, 'transcript')} (${formatBytes(due.bytes)}) from ${days.join(' to ')} within a minute.`;
}
