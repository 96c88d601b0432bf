/** Actions in the audit log: reads and deletions, changed settings, and what the store did on its own. */
export const AUDIT_ACTIONS = [
  'transcript_read',
  'transcript_downloaded',
  'transcript_revealed',
  'transcript_deleted',
  /** Deleted by retention, or because its upload never ended. */
  'transcript_expired',
  /** One transcript or all were searched for a phrase. */
  'transcripts_searched',
  'transcript_damaged',
  'transcript_healed',
  /** Lines of a project, limits or retention of its transcripts. */
  'settings_changed',
  'token_created',
  'token_revoked',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];
