/** Actions in the audit log: reads and deletions, changed settings, and what the store did on its own. */
export const AUDIT_ACTIONS = [
  /** The conversation was opened. */
  'transcript_read',
  /** The original bytes were downloaded. */
  'transcript_downloaded',
  /** Its secrets were shown. */
  'transcript_revealed',
  'transcript_deleted',
  /** Deleted by the project's retention, or because its upload never ended. */
  'transcript_expired',
  /** Its content was searched for a phrase: that of one transcript, or (without one) of all. */
  'transcripts_searched',
  /** Stored bytes were found corrupt. */
  'transcript_damaged',
  /** The missing bytes were uploaded again and verified. */
  'transcript_healed',
  /** Lines of a project, limits or retention of its transcripts. */
  'settings_changed',
  'token_created',
  'token_revoked',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];
