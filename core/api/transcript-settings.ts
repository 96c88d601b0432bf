/** How many transcripts a project takes in, and how long it keeps them. */
import { z } from 'zod';
import {
  DEFAULT_TRANSCRIPT_LIMITS,
  MOST_KEPT,
  type TranscriptSettingName,
} from '../transcript/keep-settings';
import { strict } from './parameters';

export { DEFAULT_TRANSCRIPT_LIMITS, type TranscriptSettingName } from '../transcript/keep-settings';

function setting(name: TranscriptSettingName, description: string) {
  const reason = `must be a whole number from 1 to ${MOST_KEPT[name]}, or null for ${name.startsWith('max') ? 'the default' : 'no retention'}`;
  return z.int(reason).min(1, reason).max(MOST_KEPT[name], reason).nullable().describe(description);
}

/** What a project sets itself; null: the default holds, and of retention none. */
export const ownTranscriptSettings = strict({
  maxArchiveBytes: setting('maxArchiveBytes', 'Most bytes of one transcript, before compression'),
  maxStoredBytes: setting('maxStoredBytes', 'Most bytes that the transcripts take on disk, compressed'),
  maxArchives: setting('maxArchives', 'Maximum number of stored transcripts'),
  keepDays: setting('keepDays', 'Days after which a transcript is deleted'),
  keepStoredBytes: setting('keepStoredBytes', 'Bytes on disk above which the oldest are deleted'),
  keepPerSession: setting('keepPerSession', 'The newest of each session that are kept'),
  keepTurnDays: setting('keepTurnDays', 'Days after its last turn when a session and its turns are deleted'),
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
    keepTurnDays: value('keepTurnDays'),
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
