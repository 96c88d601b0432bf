import { customType, index, integer, pgTable, primaryKey, unique } from 'drizzle-orm/pg-core';
import { bytea, time } from './columns';
import { projectId } from './runners';
import { transcriptFiles } from './transcripts';

const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' });
const transcriptId = () =>
  integer()
    .notNull()
    .references(() => transcriptFiles.transcriptId, { onDelete: 'cascade' });

/** The content of a stored transcript, and the progress of reading it. All tables below are deleted with the file. */
export const transcriptContents = pgTable(
  'transcript_contents',
  (c) => ({
    transcriptId: transcriptId().primaryKey(),
    state: c.text().notNull(),
    reason: c.text(),
    /** Version of the rules that read the content. Content of an older version is read again. */
    version: c.smallint().notNull(),
    /** Number of attempts to read it. */
    attempts: c.smallint().notNull().default(0),
    /** End of the reader's claim; while waiting, the time of the next attempt. */
    claimedUntil: time(),
    /** The reader: an id of the server process. */
    claimedBy: c.uuid(),
    readAt: time(),
    format: c.text(),
    bytes: c.bigint({ mode: 'number' }),
    lines: c.integer(),
    entries: c.integer().notNull().default(0),
    messages: c.integer().notNull().default(0),
    window: c.bigint({ mode: 'number' }),
    secrets: c.integer().notNull().default(0),
    /** Chains and compactions, as in `Outline` of core/transcript. */
    chains: c.jsonb().notNull().default([]),
    compactions: c.jsonb().notNull().default([]),
    /** Number of compactions in the file. If there are very many, not all are listed. */
    boundaries: c.integer().notNull().default(0),
  }),
  (t) => [index('transcript_contents_state').on(t.state, t.claimedUntil)],
);

/** The outline, 1 024 entries a page, as compressed JSON (db/transcripts/contents/outline-pages.ts). */
export const transcriptPages = pgTable(
  'transcript_pages',
  (c) => ({ transcriptId: transcriptId(), page: c.integer().notNull(), data: bytea().notNull() }),
  (t) => [primaryKey({ columns: [t.transcriptId, t.page] })],
);

/** Places that look like secrets, but never the secrets. A secret that spans entries has a row in each. */
export const transcriptSecrets = pgTable(
  'transcript_secrets',
  (c) => ({
    transcriptId: transcriptId(),
    secret: c.integer().notNull(),
    entry: c.integer().notNull(),
    line: c.integer().notNull(),
    fromByte: c.bigint({ mode: 'number' }).notNull(),
    toByte: c.bigint({ mode: 'number' }).notNull(),
    rule: c.text().notNull(),
  }),
  (t) => [
    primaryKey({ columns: [t.transcriptId, t.secret, t.entry] }),
    index('transcript_secrets_entry').on(t.transcriptId, t.entry),
  ],
);

/** The content that each compaction in the file dropped: `Loss` of core/transcript, as compressed JSON. */
export const transcriptLosses = pgTable(
  'transcript_losses',
  (c) => ({
    transcriptId: transcriptId(),
    /** Entry and first byte of the boundary. */
    entry: c.integer().notNull(),
    fromByte: c.bigint({ mode: 'number' }).notNull(),
    data: bytea().notNull(),
  }),
  (t) => [primaryKey({ columns: [t.transcriptId, t.entry] })],
);

/** Segments that archives of one transcript share are stored once. A trigger deletes them with their last use. */
export const transcriptSegments = pgTable(
  'transcript_segments',
  (c) => ({
    id: c.bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    projectId: projectId(),
    sha256: bytea().notNull(),
    /** The words of the texts (core/transcript/words.ts). */
    terms: tsvector().notNull(),
    /** The texts as compressed JSON, with masked secrets. */
    body: bytea().notNull(),
  }),
  (t) => [
    unique('transcript_segments_content').on(t.projectId, t.sha256),
    index('transcript_segments_terms').using('gin', t.terms),
  ],
);

export const transcriptSegmentUses = pgTable(
  'transcript_segment_uses',
  (c) => ({
    transcriptId: transcriptId(),
    place: c.integer().notNull(),
    segmentId: c
      .bigint({ mode: 'number' })
      .notNull()
      .references(() => transcriptSegments.id),
    firstEntry: c.integer().notNull(),
    firstLine: c.integer().notNull(),
  }),
  (t) => [
    primaryKey({ columns: [t.transcriptId, t.place] }),
    index('transcript_segment_uses_segment').on(t.segmentId),
  ],
);
