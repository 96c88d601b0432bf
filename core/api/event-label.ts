import type { EventKind } from './session';

/**
 * An event in a few words, without numbers that need a unit of the viewer's choice: for lists that name the
 * last event of a session.
 */
export function eventLabel(kind: EventKind, detail: Readonly<Record<string, unknown>>): string {
  switch (kind) {
    case 'session_started':
      return STARTED[String(detail.reason)] ?? 'started';
    case 'session_ended':
      return 'ended';
    case 'state_changed':
      return `now ${String(detail.to)}`;
    case 'approaching_redline':
      return 'reached the restart line';
    case 'redlined':
      return 'over limit';
    case 'restart':
      return 'restarted';
    case 'compaction':
      return COMPACTION[String(detail.state)] ?? 'compacted';
    case 'context_cleared':
      return 'cleared';
    case 'context_compressed':
      return 'compressed';
    case 'thrash':
      return THRASH[String(detail.form)] ?? 'thrashes';
    case 'cache_storm':
      return 'cache storm';
    case 'tracking_disabled':
      return 'tracking lost';
    case 'tracking_enabled':
      return 'tracking back';
    case 'archive_stored':
      return 'transcript archived';
    case 'archive_skipped':
      return 'archive skipped';
    case 'archive_failed':
      return 'archive failed';
    case 'archive_delayed':
      return 'archive held up';
    case 'archive_damaged':
      return 'archive damaged';
    case 'archive_healed':
      return 'archive whole again';
    case 'turns_dropped':
      return 'turns dropped';
  }
}

const THRASH: Record<string, string> = {
  refill: 'full again after compaction',
  in_a_row: 'compactions in a row',
  restart_full: 'full right after restart',
};

const STARTED: Readonly<Record<string, string>> = {
  resumed: 'resumed',
  clear: 'started after a clear',
  fork: 'forked',
};

const COMPACTION: Readonly<Record<string, string>> = {
  pending: 'about to compact',
  confirmed: 'compacted',
  blocked: 'compaction blocked',
  failed: 'compaction failed',
};
