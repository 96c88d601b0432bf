/** Names and maximum values of a project's transcript limits and retention. */

const GIB = 1024 ** 3;

/** Limits of a project that sets no limits. */
export const DEFAULT_TRANSCRIPT_LIMITS = {
  /** Bytes of one transcript, before compression. */
  maxArchiveBytes: 2 * GIB,
  /** Compressed bytes of all transcripts of a project on disk. */
  maxStoredBytes: 100 * GIB,
  maxArchives: 100_000,
} as const;

export const TRANSCRIPT_LIMIT_NAMES = ['maxArchiveBytes', 'maxStoredBytes', 'maxArchives'] as const;
/** Retention. Null: off. */
export const TRANSCRIPT_RETENTION_NAMES = ['keepDays', 'keepStoredBytes', 'keepPerSession'] as const;
/** Retention of sessions with their turns. */
export const TURN_RETENTION_NAMES = ['keepTurnDays', 'keepTurns'] as const;
export const TRANSCRIPT_SETTING_NAMES = [
  ...TRANSCRIPT_LIMIT_NAMES,
  ...TRANSCRIPT_RETENTION_NAMES,
  ...TURN_RETENTION_NAMES,
] as const;
export type TranscriptSettingName = (typeof TRANSCRIPT_SETTING_NAMES)[number];

/** The highest value of each setting. The lowest is 1. */
export const MOST_KEPT: Record<TranscriptSettingName, number> = {
  maxArchiveBytes: 64 * GIB,
  maxStoredBytes: Number.MAX_SAFE_INTEGER,
  maxArchives: 10_000_000,
  keepDays: 36_500,
  keepStoredBytes: Number.MAX_SAFE_INTEGER,
  keepPerSession: 1_000_000,
  keepTurnDays: 36_500,
  keepTurns: Number.MAX_SAFE_INTEGER,
};
