/**
 * What the audit log tells of: who saw or removed what, who changed settings, and what the store did by itself. Names
 * alone, for pages.
 */
export const AUDIT_ACTIONS = [
  /** Its conversation was opened. */
  'transcript_read',
  /** Its original bytes were saved. */
  'transcript_downloaded',
  /** Masked places of it were shown. */
  'transcript_revealed',
  'transcript_deleted',
  /** Deleted by the project's retention, or because its upload never ended. */
  'transcript_expired',
  /** Its content was searched for a phrase: that of one transcript, or (without one) of all. */
  'transcripts_searched',
  /** Bytes of it turned out to be damaged at rest. */
  'transcript_damaged',
  /** Its damaged bytes came again, and all of it was read back. */
  'transcript_healed',
  /** The disk was full while it was handed over; written once there was room again. */
  'transcript_delayed',
  /** Lines of a project, limits or retention of its transcripts. */
  'settings_changed',
  'token_created',
  'token_revoked',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];
