/** How many transcripts a project takes in, and how long it keeps them. */
import { z } from 'zod';

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

const MOST: Record<TranscriptSettingName, number> = {
  maxArchiveBytes: 64 * GIB,
  maxStoredBytes: Number.MAX_SAFE_INTEGER,
  maxArchives: 10_000_000,
  keepDays: 36_500,
  keepStoredBytes: Number.MAX_SAFE_INTEGER,
  keepPerSession: 1_000_000,
};

function setting(name: TranscriptSettingName, description: string) {
  const reason = `must be a whole number from 1 to ${MOST[name]}, or null for ${name.startsWith('max') ? 'the default' : 'no retention'}`;
  return z.int(reason).min(1, reason).max(MOST[name], reason).nullable().describe(description);
}

/** What a project sets itself; null: the default holds, and of retention none. */
export const ownTranscriptSettings = z.strictObject({
  maxArchiveBytes: setting('maxArchiveBytes', 'Most bytes of one transcript, before compression'),
  maxStoredBytes: setting('maxStoredBytes', 'Most bytes that the transcripts take on disk, compressed'),
  maxArchives: setting('maxArchives', 'Most transcripts whose bytes are kept'),
  keepDays: setting('keepDays', 'Days after which a transcript is deleted'),
  keepStoredBytes: setting('keepStoredBytes', 'Bytes on disk above which the oldest are deleted'),
  keepPerSession: setting('keepPerSession', 'The newest of each session that are kept'),
});
export type OwnTranscriptSettings = z.infer<typeof ownTranscriptSettings>;

export const transcriptSettings = z.object({
  own: ownTranscriptSettings,
  /** In force. */
  limits: z.object({ maxArchiveBytes: z.number(), maxStoredBytes: z.number(), maxArchives: z.number() }),
});
export type TranscriptSettings = z.infer<typeof transcriptSettings>;

/** From what is stored; what is no setting counts as none. */
export function readTranscriptSettings(stored: unknown): TranscriptSettings {
  const given = new Map<string, unknown>(
    typeof stored === 'object' && stored !== null ? Object.entries(stored) : [],
  );
  const value = (name: TranscriptSettingName): number | null => {
    const parsed = ownTranscriptSettings.shape[name].safeParse(given.get(name) ?? null);
    return parsed.success ? parsed.data : null;
  };
  const own: OwnTranscriptSettings = {
    maxArchiveBytes: value('maxArchiveBytes'),
    maxStoredBytes: value('maxStoredBytes'),
    maxArchives: value('maxArchives'),
    keepDays: value('keepDays'),
    keepStoredBytes: value('keepStoredBytes'),
    keepPerSession: value('keepPerSession'),
  };
  return {
    own,
    limits: {
      maxArchiveBytes: own.maxArchiveBytes ?? DEFAULT_TRANSCRIPT_LIMITS.maxArchiveBytes,
      maxStoredBytes: own.maxStoredBytes ?? DEFAULT_TRANSCRIPT_LIMITS.maxStoredBytes,
      maxArchives: own.maxArchives ?? DEFAULT_TRANSCRIPT_LIMITS.maxArchives,
    },
  };
}
