/** Archived transcripts: their upload by runners (`/v1/archives`) and the read API (`/api/v1/transcripts`). */
import * as z from 'zod';
import { TRANSCRIPT_FORMATS } from '../agents/clients';
import { atMost, notStorable, storable } from '../protocol/fields';
import { CHUNK_BYTES, MAX_SUMMARY } from '../transcript/limits';
import { ARCHIVE_VERSIONS, TRANSCRIPT_STATES } from '../transcript/transcript-states';
import { anyOf, cursor, isSpan, limit, notASpan, oneOf, project, span, strict, text } from './parameters';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits');
const instantOrNull = z.iso.datetime().nullable();
const line = (max: number) => atMost(z.string(), max).regex(storable, notStorable);

function isBaseName(name: string): boolean {
  return name !== '.' && name !== '..' && !/[/\\\p{Cc}]/u.test(name);
}

export type { ArchiveVersion, TranscriptState } from '../transcript/transcript-states';
export { CHUNK_BYTES };

/** The client sends a repeated chunk only once, but the server reads it every time. */
const MAX_REPEATED_CHUNKS = 4;

/**
 * `POST /v1/archives`: the offer of an upload. A repeated offer of an `archive` resumes the upload, or reports that the
 * archive is stored. docs/api.md lists the refusals.
 */
export const archiveOffer = strict({
  archive: z.uuid(),
  project: line(200).min(1),
  session: line(400).min(1),
  /** The client that assigned the id `session`, as in the runner's hello. */
  client: line(100).min(1).nullish(),
  at: z.iso.datetime({ offset: true }).refine((at) => Date.parse(at) >= 0, 'must be a time from 1970 on'),
  trigger: z.enum(['auto', 'manual']).nullable(),
  version: z.enum(ARCHIVE_VERSIONS),
  /** The client's own id of the compaction (`boundary` of its item), if the archive ends with the compaction's line. */
  boundary: line(400).min(1).nullish(),
  /** The client's summary, which follows the compaction's line. Losses use this text unless a later archive has it. */
  summary: line(MAX_SUMMARY).nullish(),
  /** Id of the sub-agent of this file; absent or null: the session's transcript. */
  agent: line(400).min(1).nullish(),
  fileName: line(255).min(1).refine(isBaseName, 'must be a base name: no folder, no control character'),
  path: line(4_096).nullable(),
  host: line(255).nullable(),
  bytes: z.number().int().min(0),
  lines: z.number().int().min(0),
  sha256,
  /** In order; each has `CHUNK_BYTES` bytes except the last. Empty for an empty file. */
  chunks: z.array(sha256),
})
  .refine(({ chunks }) => chunks.length - new Set(chunks).size <= MAX_REPEATED_CHUNKS, {
    path: ['chunks'],
    error: `must contain at most ${MAX_REPEATED_CHUNKS} repeated chunks`,
  })
  .refine(({ bytes, chunks }) => chunks.length === Math.ceil(bytes / CHUNK_BYTES), {
    path: ['chunks'],
    error: `must name one chunk per ${CHUNK_BYTES} bytes, and one for the rest`,
  });
export type ArchiveOffer = z.infer<typeof archiveOffer>;

/** Answer to the offer and to `POST /v1/archives/{archive}/complete`. */
const archiveProgress = z.object({
  archive: z.uuid(),
  id: z.uuid(),
  state: z.enum(['uploading', 'stored']),
  /** Chunks still to be sent, by hash, each once: `PUT /v1/archives/{archive}/chunks/{sha256}`, gzip allowed. */
  missing: z.array(sha256),
  /** When the stored bytes were read back and hashed; null until then. */
  verifiedAt: instantOrNull,
});
export type ArchiveProgress = z.infer<typeof archiveProgress>;

export const COMPACTION_STATES = ['pending', 'confirmed', 'blocked', 'failed'] as const;

/** A row of `/transcripts`: an archive in any state. */
export const transcriptRow = z.object({
  id: z.uuid(),
  /** The runner's id of the archive, as a compaction's event names it; null: reported without an id. */
  archive: z.uuid().nullable(),
  state: z.enum(TRANSCRIPT_STATES),
  /** Reason of a skip, failure or deletion; while uploading, the last error. */
  reason: z.string().nullable(),
  project: z.string(),
  sessionId: z.uuid(),
  sessionTitle: z.string().nullable(),
  sessionKey: z.string(),
  /** Id of the sub-agent of this file; null or absent: the session's transcript. */
  agent: z.string().nullable().optional(),
  eventId: z.string().nullable(),
  /** The state of that compaction; after `blocked` or `failed` the context continued unchanged. */
  compaction: z
    .object({ state: z.enum(COMPACTION_STATES), reason: z.string().nullable() })
    .nullable()
    .optional(),
  trigger: z.enum(['auto', 'manual']).nullable(),
  version: z.enum(ARCHIVE_VERSIONS),
  at: z.iso.datetime(),
  format: z.enum(TRANSCRIPT_FORMATS).nullable(),
  fileName: z.string().nullable(),
  host: z.string().nullable(),
  path: z.string().nullable(),
  bytes: z.number().nullable(),
  lines: z.number().nullable(),
  messages: z.number().nullable(),
  sha256: z.string().nullable(),
  verifiedAt: instantOrNull,
  /** Number of places that look like secrets; null: not scanned yet. */
  secrets: z.number().nullable(),
  deletedAt: instantOrNull,
});
export type TranscriptRow = z.infer<typeof transcriptRow>;

export const searchHit = z.object({
  line: z.number(),
  /** About 160 characters around the first match, plain text. */
  excerpt: z.string(),
  /** Ranges of `excerpt` to be marked: [from, to). */
  marks: z.array(z.tuple([z.number(), z.number()])),
});
export type SearchHit = z.infer<typeof searchHit>;

export const transcriptList = z.object({
  /** With `q`. False: the time ran out, and more transcripts may match. */
  isSearchComplete: z.boolean().optional(),
  /** With `q`: `searchFrom` of the next search, for older transcripts; null: all were searched. */
  searchCursor: z.string().nullable().optional(),
  transcripts: z.array(transcriptRow.extend({ hits: z.array(searchHit), hitCount: z.number().nullable() })),
  total: z.number(),
  nextCursor: z.string().nullable(),
});
export type TranscriptList = z.infer<typeof transcriptList>;

/** Sort keys of the list; descending unless `order` is given. */
export const TRANSCRIPT_SORTS = ['at', 'session', 'bytes', 'lines', 'messages', 'secrets'] as const;
export type TranscriptSort = (typeof TRANSCRIPT_SORTS)[number];
export const DEFAULT_TRANSCRIPT_LIMIT = 100;

const size = (description: string) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number of bytes')
    .transform(Number)
    .describe(description)
    .optional();

export const listTranscriptsParameters = strict({
  project,
  session: text(400).describe('Id of a session, or text in its title or key, in any case').optional(),
  trigger: anyOf(oneOf(['auto', 'manual']), 2, 'Trigger of the compaction'),
  state: anyOf(oneOf(TRANSCRIPT_STATES), TRANSCRIPT_STATES.length, 'States'),
  version: anyOf(
    oneOf(ARCHIVE_VERSIONS),
    2,
    '`hook`: the file when the hook ran; `completed`: the file up to the compaction',
  ),
  ...span,
  minBytes: size('Minimum size, bytes'),
  maxBytes: size('Maximum size, bytes'),
  q: text(200).describe('A phrase in the content. Each transcript comes with its hits').optional(),
  searchFrom: text(1_000)
    .describe('`searchCursor` of a previous list: searches older transcripts for `q`')
    .optional(),
  sort: oneOf(TRANSCRIPT_SORTS).describe('Default `at`, when the hook fired').optional(),
  order: oneOf(['asc', 'desc']).describe('Default `desc`').optional(),
  cursor,
  limit: limit(500, DEFAULT_TRANSCRIPT_LIMIT),
}).refine(isSpan, notASpan);
export type ListTranscriptsParameters = z.infer<typeof listTranscriptsParameters>;

export const transcriptDeletion = strict({
  reason: text(500).trim().min(1, 'must not be empty'),
});
