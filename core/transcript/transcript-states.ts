/** Names without schemas, because the schemas of core/api would add zod to the pages. */

/** `hook`: the file when the hook ran. `completed`: the file including the compaction's own line. */
export const ARCHIVE_VERSIONS = ['hook', 'completed'] as const;
export type ArchiveVersion = (typeof ARCHIVE_VERSIONS)[number];

/**
 * `announced`: reported by a runner, which keeps the copy. `stored`: every byte was read back and hashed. `skipped` and
 * `failed`: there is no copy. `damaged`: some stored bytes are wrong; another upload of the same bytes repairs them.
 */
export const TRANSCRIPT_STATES = [
  'announced',
  'uploading',
  'stored',
  'damaged',
  'skipped',
  'failed',
  'deleted',
] as const;
/** States of transcripts that were stored and verified. */
export const KEPT_STATES = ['stored', 'damaged'] as const satisfies readonly TranscriptState[];
export type TranscriptState = (typeof TRANSCRIPT_STATES)[number];
