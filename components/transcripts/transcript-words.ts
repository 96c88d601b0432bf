/** What is said of an archived transcript, in words: never more than is known. */
import type { ArchiveVersion, TranscriptRow, TranscriptState } from '@/core/api/transcripts';
import { formatClock, formatDay, formatInstant } from '../format/format-time';
import { visibleText } from './text/visible-text';

export const STATE_WORDS: Readonly<Record<TranscriptState, string>> = {
  announced: 'announced',
  uploading: 'on its way',
  stored: 'stored',
  damaged: 'damaged',
  skipped: 'skipped',
  failed: 'failed',
  deleted: 'deleted',
};

/** As a word for its state: one that does not come in is that above all. */
export function stateWords({ state, heldUp }: Pick<TranscriptRow, 'state' | 'heldUp'>): string {
  return heldUp ? 'held up' : STATE_WORDS[state];
}

/** The two copies that one compaction may have. */
export const VERSION_WORDS: Readonly<Record<ArchiveVersion, { short: string; long: string }>> = {
  hook: { short: 'as it was at the hook', long: 'Byte for byte the file as it was when the hook fired' },
  completed: {
    short: 'completed',
    long: 'The file up to and with the compaction’s own line, read after it: the client writes its transcript late',
  },
};

/** `sub-agent a5f3c1`: whose own file it is; null: the session's transcript. */
export function agentWords({ agent }: Pick<TranscriptRow, 'agent'>): string | null {
  return agent == null ? null : `sub-agent ${visibleText(agent)}`;
}

/** `before an auto compaction`, as far as it is known; `before an auto compaction that was blocked: by a hook`. */
export function triggerWords({ trigger, compaction }: Pick<TranscriptRow, 'trigger' | 'compaction'>): string {
  const which =
    trigger === null ? 'a compaction' : trigger === 'auto' ? 'an auto compaction' : 'a manual compaction';
  const outcome = outcomeWords(compaction);
  if (outcome === null) return `before ${which}`;
  const reason = compaction?.reason;
  return `before ${which} that ${outcome === 'blocked' ? 'was blocked' : 'failed'}${reason ? `: ${visibleText(reason)}` : ''}`;
}

/** What became of a compaction that never was; null: it took place, or nobody knows better yet. */
export function outcomeWords(compaction: TranscriptRow['compaction']): 'blocked' | 'failed' | null {
  const state = compaction?.state;
  return state === 'blocked' || state === 'failed' ? state : null;
}

/**
 * Whether the bytes are there and were looked at: `stored, read back and hashed 14:03`. With the day where it is not
 * today's.
 */
export function checksumWords(row: TranscriptRow, zone: string, now: number): string {
  if (row.heldUp) return heldUpWords(row.heldUp, zone, now);
  switch (row.state) {
    case 'stored':
      return row.verifiedAt === null
        ? 'stored, not read back yet'
        : `stored, read back and hashed ${momentWords(row.verifiedAt, zone, now)}`;
    case 'announced':
      return 'announced; the runner keeps the copy';
    case 'uploading':
      return row.reason === null
        ? 'on its way; not complete yet'
        : `on its way, held up: ${clause(row.reason)}`;
    case 'damaged':
      return `damaged: ${row.reason ?? 'some of its bytes went bad at rest'}`;
    case 'skipped':
      return `skipped: ${row.reason ?? 'no reason stated'}`;
    case 'failed':
      return `failed: ${row.reason ?? 'no reason stated'}`;
    case 'deleted':
      return `deleted${row.deletedAt === null ? '' : ` ${momentWords(row.deletedAt, zone, now)}`}: ${row.reason ?? 'no reason stated'}`;
  }
}

/** `held up: the disk of the server's database is full; since 14:03; tried again 14:05 by the runner`. */
function heldUpWords(
  { reason, since, lastTriedAt, tries }: NonNullable<TranscriptRow['heldUp']>,
  zone: string,
  now: number,
): string {
  const tried =
    tries > 1 ? `tried again ${momentWords(lastTriedAt, zone, now)} by the runner` : 'the runner comes again';
  return `held up: ${clause(reason)}; since ${momentWords(since, zone, now)}; ${tried}`;
}

/** A sentence as a part of one: `The disk is full.` as `the disk is full`. */
function clause(sentence: string): string {
  return sentence.replace(/^The /, 'the ').replace(/\.$/, '');
}

/** Whether it is not here because the project takes no more: an operator can change that. */
export function isBeyondLimit({ state, reason }: Pick<TranscriptRow, 'state' | 'reason'>): boolean {
  return state === 'failed' && /\((maxArchiveBytes|maxStoredBytes|maxArchives)\)/.test(reason ?? '');
}

/** Where the limits and the retention of a project are set. */
export function limitsHref(project: string): string {
  return `/settings?project=${encodeURIComponent(project)}#transcripts`;
}

/** The same, exact: for hover. */
export function checksumTitle(row: TranscriptRow, zone: string): string {
  const parts = [
    row.verifiedAt === null ? null : `Read back and hashed ${formatInstant(row.verifiedAt, zone)}`,
    row.deletedAt === null ? null : `Deleted ${formatInstant(row.deletedAt, zone)}`,
    row.sha256 === null ? null : `SHA-256 ${row.sha256}`,
  ];
  return parts.filter((part) => part !== null).join('\n');
}

/** Where the copy lies that is not this server's. */
export function placeWords({ host, path, state }: TranscriptRow): string {
  const own = host === null ? (path === null ? '' : 'on the runner’s machine') : `on ${host}`;
  if (state !== 'stored') return own;
  return own === '' ? 'in this server’s database' : `in this server’s database, and ${own}`;
}

/** `14:03` of today, `22 Nov 14:03` of another day. */
export function momentWords(at: string, zone: string, now: number): string {
  const clock = formatClock(at, zone);
  const day = formatDay(at, zone);
  return day === formatDay(now, zone) && now - Date.parse(at) < 86_400_000 ? clock : `${day} ${clock}`;
}

/** The session's title, or what else names it. */
export function transcriptTitle(row: Pick<TranscriptRow, 'sessionTitle' | 'sessionKey'>): string {
  return row.sessionTitle ?? row.sessionKey;
}
