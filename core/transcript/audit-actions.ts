/** Actions in the audit log: reads, deletions, changed settings and tokens, and automatic actions of the store. */
export const AUDIT_ACTIONS = [
  'transcript_read',
  'transcript_downloaded',
  'transcript_revealed',
  'transcript_deleted',
  /** Deleted by retention, or because its upload never ended. */
  'transcript_expired',
  /** A phrase was searched in one transcript or in all. */
  'transcripts_searched',
  'transcript_damaged',
  'transcript_healed',
  /** A project's thresholds, the limits of its transcripts, or their retention. */
  'settings_changed',
  'token_created',
  'token_revoked',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];
