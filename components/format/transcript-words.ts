import type { ArchiveVersion, TranscriptRow, TranscriptState } from '@/core/api/transcripts';
import { formatInstant, formatSince } from './format-time';
import { visibleText } from './visible-text';

export const STATE_WORDS: Readonly<Record<TranscriptState, string>> = {
  announced: 'not uploaded',
  uploading: 'uploading',
  stored: 'stored',
  damaged: 'damaged',
  skipped: 'skipped',
  failed: 'failed',
  deleted: 'deleted',
};

/** The two copies that one compaction can have. */
export const VERSION_WORDS: Readonly<Record<ArchiveVersion, { short: string; long: string }>> = {
  hook: { short: 'copied by the hook', long: 'An exact copy from the time of the hook' },
  completed: {
    short: 'completed',
    long: 'Includes the line of the compaction, which the client writes later',
  },
};

/** `sub-agent a5f3c1` for a sub-agent's own file; null: the session's transcript. */
export function agentWords({ agent }: Pick<TranscriptRow, 'agent'>): string | null {
  return agent == null ? null : `sub-agent ${visibleText(agent)}`;
}

/** `before an auto compaction`, or `before an auto compaction that was blocked: by a hook`. */
export function triggerWords({ trigger, compaction }: Pick<TranscriptRow, 'trigger' | 'compaction'>): string {
  const which =
    trigger === null ? 'a compaction' : trigger === 'auto' ? 'an auto compaction' : 'a manual compaction';
  const outcome = outcomeWords(compaction);
  if (outcome === null) return `before ${which}`;
  const reason = compaction?.reason;
  return `before ${which} that ${outcome === 'blocked' ? 'was blocked' : 'failed'}${reason ? `: ${visibleText(reason)}` : ''}`;
}

/** Why a compaction did not happen; null: it did, or its outcome is unknown. */
export function outcomeWords(compaction: TranscriptRow['compaction']): 'blocked' | 'failed' | null {
  const state = compaction?.state;
  return state === 'blocked' || state === 'failed' ? state : null;
}

/** `Verified 14:03`, with the day unless it was today. */
export function checksumWords(row: TranscriptRow, zone: string, now: number): string {
  const { state, reason, verifiedAt, deletedAt, host } = row;
  const moment = (at: string | null) => (at === null ? '' : ` ${momentWords(at, zone, now)}`);
  const why = reason ?? 'no reason given';
  switch (state) {
    case 'stored':
      return verifiedAt === null ? 'Stored, not verified yet' : `Verified${moment(verifiedAt)}`;
    case 'announced':
      return `Not uploaded; kept on ${host ?? 'the runner’s machine'}`;
    case 'uploading':
      // `The disk is full.` as a clause: `the disk is full`.
      return reason === null
        ? 'Uploading'
        : `Upload delayed: ${reason.replace(/^The /, 'the ').replace(/\.$/, '')}`;
    case 'damaged':
      return `Damaged: ${reason ?? 'some stored bytes are corrupt'}`;
    case 'skipped':
      return `Skipped: ${why}`;
    case 'failed':
      return `Failed: ${why}`;
    case 'deleted':
      return `Deleted${moment(deletedAt)}: ${why}`;
  }
}

export function isBeyondLimit({ state, reason }: Pick<TranscriptRow, 'state' | 'reason'>): boolean {
  return state === 'failed' && /\((maxArchiveBytes|maxStoredBytes|maxArchives)\)/.test(reason ?? '');
}

export function limitsHref(project: string): string {
  return `/settings?project=${encodeURIComponent(project)}#transcripts`;
}

export function checksumTitle(row: TranscriptRow, zone: string): string {
  const parts = [
    row.verifiedAt === null ? null : `Verified ${formatInstant(row.verifiedAt, zone)}`,
    row.deletedAt === null ? null : `Deleted ${formatInstant(row.deletedAt, zone)}`,
    row.sha256 === null ? null : `SHA-256 ${row.sha256}`,
  ];
  return parts.filter((part) => part !== null).join('\n');
}

/** `also on host pier`; empty if the place is unknown, or if the state already names the host. */
export function placeWords({ host, path, state }: TranscriptRow): string {
  if (state === 'announced' || (host === null && path === null)) return '';
  const own = host === null ? 'on the runner’s machine' : `on host ${host}`;
  return state === 'stored' ? `also ${own}` : own;
}

export function momentWords(at: string, zone: string, now: number): string {
  return formatSince(Date.parse(at), now, zone);
}

export function transcriptTitle(row: Pick<TranscriptRow, 'sessionTitle' | 'sessionKey'>): string {
  return row.sessionTitle ?? row.sessionKey;
}
