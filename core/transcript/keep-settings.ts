/** How many transcripts a project takes in and how long it keeps them: names and bounds alone, for pages. */

const GIB = 1024 ** 3;

/** In force where a project sets none. */
export const DEFAULT_TRANSCRIPT_LIMITS = {
  /** Bytes of one transcript, before compression. */
  maxArchiveBytes: 2 * GIB,
  /** Bytes that all of a project take on disk, compressed. */
  maxStoredBytes: 100 * GIB,
  /** Transcripts whose bytes are here, or on their way. */
  maxArchives: 100_000,
} as const;

export const TRANSCRIPT_LIMIT_NAMES = ['maxArchiveBytes', 'maxStoredBytes', 'maxArchives'] as const;
/** Retention: off where null. */
export const TRANSCRIPT_RETENTION_NAMES = ['keepDays', 'keepStoredBytes', 'keepPerSession'] as const;
export const TRANSCRIPT_SETTING_NAMES = [...TRANSCRIPT_LIMIT_NAMES, ...TRANSCRIPT_RETENTION_NAMES] as const;
export type TranscriptSettingName = (typeof TRANSCRIPT_SETTING_NAMES)[number];

/** The highest value of each; the lowest is 1. */
export const MOST_KEPT: Record<TranscriptSettingName, number> = {
  maxArchiveBytes: 64 * GIB,
  maxStoredBytes: Number.MAX_SAFE_INTEGER,
  maxArchives: 10_000_000,
  keepDays: 36_500,
  keepStoredBytes: Number.MAX_SAFE_INTEGER,
  keepPerSession: 1_000_000,
};
