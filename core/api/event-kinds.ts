/** What events are about. Apart from the shapes, so that pages need no validator for a list of names. */

export const EVENT_KINDS = [
  'session_started',
  'session_ended',
  'state_changed',
  'approaching_redline',
  'redlined',
  'restart',
  'compaction',
  'context_cleared',
  'context_compressed',
  'tracking_disabled',
  'tracking_enabled',
  'archive_stored',
  'archive_skipped',
  'archive_failed',
  'archive_delayed',
  'archive_damaged',
  'archive_healed',
  'turns_dropped',
  'thrash',
  'cache_storm',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** Whose events: of the session itself, or of its sub-agents. */
export const EVENT_SCOPES = ['main', 'side'] as const;
