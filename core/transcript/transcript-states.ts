/** Names alone, for pages: the shapes of core/api bring a library along. */

/**
 * `hook`: byte for byte the file as it was when the hook fired. `completed`: the same file up to and with the
 * compaction's own line, read after it; the client writes its transcript late.
 */
export const ARCHIVE_VERSIONS = ['hook', 'completed'] as const;
export type ArchiveVersion = (typeof ARCHIVE_VERSIONS)[number];

/**
 * `announced`: a runner told of it and keeps the copy; nothing was handed over. `uploading`: some chunks are here.
 * `stored`: every byte was read back and hashed. `skipped`, `failed`: there is no copy, or not here; the reason says
 * why. `deleted`: the tombstone of a stored one. `damaged`: it was stored, and some of its bytes went bad at rest; the
 * next upload of the same bytes heals it, whichever archive they come with.
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
/** States of what was read back once: it is kept until it is deleted. */
export const KEPT_STATES = ['stored', 'damaged'] as const satisfies readonly TranscriptState[];
export type TranscriptState = (typeof TRANSCRIPT_STATES)[number];
