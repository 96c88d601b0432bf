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
  /** A rule or a channel of alerts. */
  'alerts_changed',
  'token_created',
  'token_rotated',
  'token_revoked',
  'command_sent',
  /** By `barograph backup`. */
  'backup_made',
  /** With its sessions, transcripts, alerts and settings. */
  'project_deleted',
  'runner_deleted',
  'alert_acknowledged',
  'session_deleted',
  /** People with accounts: their log-ins, invitations, roles and ended sessions. */
  'logged_in',
  'log_in_failed',
  'logged_out',
  'person_invited',
  'invitation_deleted',
  'person_joined',
  'role_changed',
  'sessions_ended',
  'person_deleted',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];
