/** What the audit log tells of; names alone, for pages. */
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
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];
