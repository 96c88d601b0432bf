import type { EventKind } from '@/core/api/session';

/** The kinds of events on screens, as the rows name them. */
const KIND_WORD: Record<EventKind, string> = {
  session_started: 'session started',
  session_ended: 'session ended',
  state_changed: 'state',
  approaching_redline: 'restart line',
  redlined: 'limit passed',
  restart: 'restart',
  compaction: 'compaction',
  context_cleared: 'cleared',
  context_compressed: 'compressed',
  tracking_disabled: 'tracking lost',
  tracking_enabled: 'tracking back',
  archive_stored: 'archive stored',
  archive_skipped: 'archive skipped',
  archive_failed: 'archive failed',
  archive_delayed: 'archive held up',
  archive_damaged: 'archive damaged',
  archive_healed: 'archive whole again',
  turns_dropped: 'turns lost',
  thrash: 'thrash',
  cache_storm: 'cache storm',
};

export function describeKind(kind: EventKind): string {
  return KIND_WORD[kind];
}
