import { sql } from 'drizzle-orm';
import { check, index, pgTable, primaryKey, unique } from 'drizzle-orm/pg-core';
import { bytea, time } from './columns';
import { projectId, projects } from './runners';

/** Archived transcripts, one row each: announced or uploaded, failed, skipped or deleted (a tombstone). */
export const transcripts = pgTable(
  'transcripts',
  (c) => ({
    id: c.integer().primaryKey().generatedAlwaysAsIdentity(),
    publicId: c.uuid().notNull().unique().default(sql`gen_random_uuid()`),
    projectId: projectId(),
    /** Public id of the session that the runner names. The session may arrive later or be adopted (`adopted_by`). */
    session: c.uuid().notNull(),
    sessionKey: c.text().notNull(),
    /** The runner's id of the archive; null: a notice without an id. */
    archive: c.uuid(),
    /** Cause of the notice's events. Null: an upload without a notice. */
    cause: c.uuid(),
    state: c.text().notNull(),
    reason: c.text(),
    trigger: c.text(),
    version: c.text().notNull().default('hook'),
    /** The client's own id of the compaction, if the copy ends at the compaction's line. */
    boundary: c.text(),
    agent: c.text(),
    /** When the hook fired, by the runner's clock. */
    at: time().notNull(),
    fileName: c.text(),
    host: c.text(),
    /** Path on the runner's machine. */
    path: c.text(),
    bytes: c.bigint({ mode: 'number' }),
    lines: c.bigint({ mode: 'number' }),
    sha256: c.text(),
    /** Set when the content is read. */
    format: c.text(),
    messages: c.integer(),
    secrets: c.integer(),
    createdAt: time().notNull().default(sql`now()`),
    /** Time of the last request of the upload. */
    changedAt: time().notNull().default(sql`now()`),
    /** When the stored bytes were read back and hashed. */
    verifiedAt: time(),
    deletedAt: time(),
  }),
  (t) => [
    // A runner chooses the id, so an id that is used in one project must stay free in others.
    unique('transcripts_archive').on(t.archive, t.projectId),
    unique('transcripts_cause').on(t.cause),
    index('transcripts_session').on(t.session),
    index('transcripts_project').on(t.projectId, t.at),
    index('transcripts_time').on(t.at, t.id),
    index('transcripts_uploading').on(t.changedAt).where(sql`state = 'uploading'`),
  ],
);

/** A transcript with stored or arriving bytes. Everything derived from them refers to it with ON DELETE CASCADE. */
export const transcriptFiles = pgTable('transcript_files', (c) => ({
  transcriptId: c
    .integer()
    .primaryKey()
    .references(() => transcripts.id, { onDelete: 'cascade' }),
  bytes: c.bigint({ mode: 'number' }).notNull(),
  parts: c.integer().notNull(),
  /** The client's summary, unchanged, if the file ends with a compaction; null: not uploaded. */
  summary: c.text(),
}));

/** The parts of a file in order: chunks of 1 MiB; the last chunk is shorter. */
export const transcriptParts = pgTable(
  'transcript_parts',
  (c) => ({
    transcriptId: c
      .integer()
      .notNull()
      .references(() => transcriptFiles.transcriptId, { onDelete: 'cascade' }),
    index: c.integer().notNull(),
    projectId: c.integer().notNull(),
    sha256: bytea().notNull(),
  }),
  (t) => [
    primaryKey({ columns: [t.transcriptId, t.index] }),
    index('transcript_parts_chunk').on(t.projectId, t.sha256),
  ],
);

/** Chunks by content within a project, so that they reveal nothing about other projects. */
export const transcriptChunks = pgTable(
  'transcript_chunks',
  (c) => ({
    projectId: projectId(),
    sha256: bytea().notNull(),
    bytes: c.integer().notNull(),
    storedBytes: c.integer().notNull(),
    /** 0 uncompressed, 1 brotli. */
    encoding: c.smallint().notNull(),
    data: bytea(),
    /** Of the object with the bytes in an archive store; null: they are in `data`. */
    address: c.text(),
    createdAt: time().notNull().default(sql`now()`),
  }),
  (t) => [
    primaryKey({ columns: [t.projectId, t.sha256] }),
    check('transcript_chunks_place', sql`num_nonnulls(${t.data}, ${t.address}) = 1`),
  ],
);

/** Objects in an archive store without a chunk: uploads in progress, and bytes of removed chunks. */
export const unreferencedObjects = pgTable('unreferenced_objects', (c) => ({
  address: c.text().primaryKey(),
  projectId: projectId(),
  /** The store keeps the object until then. */
  removeAt: time().notNull().default(sql`now()`),
}));

/** The audit log: reads, saves, reveals and deletions, including those of retention. Rows are only added. */
export const auditLog = pgTable(
  'audit_log',
  (c) => ({
    id: c.bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    at: time().notNull().default(sql`now()`),
    /** Name of a token, `browser` for pages of this server, `retention`. */
    actor: c.text().notNull(),
    action: c.text().notNull(),
    projectId: c.integer().references(() => projects.id),
    transcript: c.uuid(),
    session: c.uuid(),
    detail: c.jsonb().notNull().default({}),
  }),
  (t) => [
    index('audit_log_time').on(t.at, t.id),
    index('audit_log_transcript').on(t.transcript, t.at).where(sql`transcript is not null`),
  ],
);
