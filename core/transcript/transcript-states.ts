/** Names only: the schemas of core/api would add zod to the pages. */

/**
 * `hook`: the file byte for byte when the hook ran. `completed`: the file including the compaction's own line, copied
 * later because the client writes it late.
 */
export const ARCHIVE_VERSIONS = ['hook', 'completed'] as const;
export type ArchiveVersion = (typeof ARCHIVE_VERSIONS)[number];

/**
 * `announced`: reported by a runner, which keeps the copy. `uploading`: in progress. `stored`: every byte was read back
 * and hashed. `skipped`, `failed`: no copy here; see the reason. `deleted`: a tombstone. `damaged`: some stored bytes went
 * bad; the next upload of the same bytes, with any archive, heals it.
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
/** States of verified transcripts, kept until deletion. */
export const KEPT_STATES = ['stored', 'damaged'] as const satisfies readonly TranscriptState[];
export type TranscriptState = (typeof TRANSCRIPT_STATES)[number];
