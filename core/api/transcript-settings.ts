import * as z from 'zod';
import {
  DEFAULT_TRANSCRIPT_LIMITS,
  MOST_KEPT,
  TRANSCRIPT_SETTING_NAMES,
  type TranscriptSettingName,
} from '../transcript/keep-settings';
import { strict, wholeNumber } from './parameters';

function setting(name: TranscriptSettingName, description: string) {
  const reason = `must be a whole number from 1 to ${MOST_KEPT[name]}, or null for ${name.startsWith('max') ? 'the default' : 'no retention'}`;
  return z.int(reason).min(1, reason).max(MOST_KEPT[name], reason).nullable().describe(description);
}

/** A project's own settings; null: the default limit, or no retention. */
export const ownTranscriptSettings = strict({
  maxArchiveBytes: setting('maxArchiveBytes', 'Maximum bytes of one transcript, before compression'),
  maxStoredBytes: setting('maxStoredBytes', 'Maximum bytes of all transcripts on disk, compressed'),
  maxArchives: setting('maxArchives', 'Maximum number of stored transcripts'),
  keepDays: setting('keepDays', 'Days after which a transcript is deleted'),
  keepStoredBytes: setting('keepStoredBytes', 'Bytes on disk above which the oldest transcripts are deleted'),
  keepPerSession: setting('keepPerSession', 'Number of newest transcripts kept per session'),
  keepTurnDays: setting('keepTurnDays', 'Days after its last turn when a session and its turns are deleted'),
  keepTurns: setting('keepTurns', 'Turns above which the longest silent sessions are deleted'),
});
export type OwnTranscriptSettings = z.infer<typeof ownTranscriptSettings>;

export const transcriptSettings = z.object({
  own: ownTranscriptSettings,
  limits: z.object({ maxArchiveBytes: z.number(), maxStoredBytes: z.number(), maxArchives: z.number() }),
});
export type TranscriptSettings = z.infer<typeof transcriptSettings>;

/** Invalid stored values count as not set. */
export function readTranscriptSettings(stored: unknown): TranscriptSettings {
  const given = typeof stored === 'object' && stored !== null ? (stored as Record<string, unknown>) : {};
  const own = Object.fromEntries(
    TRANSCRIPT_SETTING_NAMES.map((name) => {
      const parsed = ownTranscriptSettings.shape[name].safeParse(given[name] ?? null);
      return [name, parsed.success ? parsed.data : null];
    }),
  ) as OwnTranscriptSettings;
  const { maxArchiveBytes, maxStoredBytes, maxArchives } = DEFAULT_TRANSCRIPT_LIMITS;
  return {
    own,
    limits: {
      maxArchiveBytes: own.maxArchiveBytes ?? maxArchiveBytes,
      maxStoredBytes: own.maxStoredBytes ?? maxStoredBytes,
      maxArchives: own.maxArchives ?? maxArchives,
    },
  };
}

const instantOrNull = z.iso.datetime().nullable();

export const retentionParameters = strict({
  keepDays: wholeNumber(1, 36_500, { description: 'Days after which a transcript is deleted' }).optional(),
  keepStoredBytes: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'must be a whole number of bytes above 0')
    .transform(Number)
    .describe('Bytes on disk above which the oldest transcripts are deleted')
    .optional(),
  keepPerSession: wholeNumber(1, 1_000_000, {
    description: 'Number of newest transcripts kept per session',
  }).optional(),
});
export type RetentionParameters = z.infer<typeof retentionParameters>;

export const keptTranscripts = z.object({
  project: z.string(),
  transcripts: z.number(),
  bytes: z.number(),
  /** Size on disk, compressed and deduplicated. */
  storedBytes: z.number(),
  oldestAt: instantOrNull,
});
export type KeptTranscripts = z.infer<typeof keptTranscripts>;

export const retentionPreview = z.object({
  kept: keptTranscripts,
  /** Transcripts that this retention would delete now. Each is counted once, by the first limit that it exceeds. */
  due: z.object({
    transcripts: z.number(),
    bytes: z.number(),
    oldestAt: instantOrNull,
    newestAt: instantOrNull,
    byAge: z.number(),
    bySession: z.number(),
    byRoom: z.number(),
  }),
});
export type RetentionPreview = z.infer<typeof retentionPreview>;
