/** Notes of sessions. Each change locks its session and notifies live pages. */
import type postgres from 'postgres';
import type { NewNote, Note, NoteChange, NoteList } from '../../core/api/notes';
import { notifySessions } from '../notify-sessions';
import { notes } from '../schema/sessions';
import { columnsText } from '../tables';
import { transact } from '../transact';
import { findSession, type SessionRef } from './find-session';
import { findChain, findPosition, MAIN_CHAIN } from './series/chain-places';

function noteColumns(sql: postgres.ISql, { publicId }: SessionRef) {
  return sql`${sql.unsafe(COLUMNS)}, ${publicId}::text as "sessionId"`;
}
const COLUMNS = columnsText(
  notes,
  'notes',
  ['id', 'at', 'turn', 'text', 'author', 'createdAt', 'editedAt', 'editedBy', 'version'],
  'iso',
);

interface NotedSession extends SessionRef {
  startedAt: Date;
  lastTurnAt: Date | null;
}

/** The session of an id, or its adopter, locked until the transaction ends. Null: unknown id. */
async function lockSession(tx: postgres.TransactionSql, publicId: string): Promise<NotedSession | null> {
  const ref = await findSession(tx, publicId);
  if (!ref) return null;
  const [row] = await tx<Pick<NotedSession, 'startedAt' | 'lastTurnAt'>[]>`
    select started_at as "startedAt", last_turn_at as "lastTurnAt" from sessions
    where id = ${ref.id} and deleted_at is null and adopted_by is null for update`;
  return row ? { ...ref, ...row } : null;
}

/** Raise the session's version and notify every process on commit. */
async function markNotes(tx: postgres.TransactionSql, session: SessionRef): Promise<void> {
  const [row] = await tx<{ version: number }[]>`
    update sessions set version = version + 1, notes_version = version + 1, changed_at = clock_timestamp()
    where id = ${session.id} returning version`;
  if (row) await notifySessions(tx, [{ id: session.id, publicId: session.publicId, version: row.version }]);
}

/**
 * Notes in order of their moments. The version is read first, so that subscribers read again if a note is written in
 * between.
 */
export async function listNotes(sql: postgres.ISql, session: SessionRef): Promise<NoteList> {
  const [held] = await sql<{ version: number | null }[]>`
    select notes_version as version from sessions where id = ${session.id}`;
  const rows = await sql<Note[]>`
    select ${noteColumns(sql, session)} from notes where session_id = ${session.id} and deleted_at is null
    order by at, turn, created_at, id`;
  return { sessionId: session.publicId, version: held?.version ?? null, notes: rows };
}

/** Maximum number of notes per session, so that one read returns all. */
export const MOST_NOTES = 500;
/** How far a note may lie outside the session, because clocks differ and earlier events may matter. */
const SLACK_MS = 86_400_000;

export type AddedNote =
  | { type: 'added'; note: Note }
  | { type: 'unknown' }
  | { type: 'full' }
  /** The moment is too far outside the session. */
  | { type: 'elsewhere'; from: Date; to: Date };

export function addNote(
  sql: postgres.Sql,
  publicId: string,
  { at, turn, text, author }: NewNote,
  nowMs: number,
): Promise<AddedNote> {
  return transact(sql, async (tx) => {
    const session = await lockSession(tx, publicId);
    if (!session) return { type: 'unknown' };
    const atMs = Date.parse(at);
    const from = session.startedAt.getTime() - SLACK_MS;
    const to = Math.max(nowMs, session.lastTurnAt?.getTime() ?? 0) + SLACK_MS;
    if (atMs < from || atMs > to) return { type: 'elsewhere', from: new Date(from), to: new Date(to) };
    const [held] = await tx<{ count: number }[]>`
      select count(*)::int as count from notes where session_id = ${session.id} and deleted_at is null`;
    if ((held?.count ?? 0) >= MOST_NOTES) return { type: 'full' };
    const [row] = await tx<Note[]>`
      insert into notes (session_id, at, turn, text, author, created_at)
      values (${session.id}, ${new Date(atMs)}, ${turn ?? (await turnAt(tx, session, atMs))}, ${text}, ${author || null},
        ${new Date(nowMs)})
      returning ${noteColumns(tx, session)}`;
    if (!row) throw new Error('a note was not stored');
    await markNotes(tx, session);
    return { type: 'added', note: row };
  });
}

/** Number of the main chain's last turn before or at a time; 0 before the first turn. */
async function turnAt(tx: postgres.TransactionSql, session: NotedSession, atMs: number): Promise<number> {
  const chain = await findChain(tx, session, MAIN_CHAIN);
  if (!chain) return 0;
  const next = await findPosition(tx, chain, atMs + 1);
  return next?.turnsBefore ?? chain.turnCount;
}

export type EditedNote =
  | { type: 'edited'; note: Note }
  | { type: 'unknown' }
  /** The text changed since it was read; `note` has the current text. */
  | { type: 'outdated'; note: Note };

/** @param version the version that the author has read */
export function editNote(
  sql: postgres.Sql,
  publicId: string,
  noteId: string,
  { text, version, author }: NoteChange,
  nowMs: number,
): Promise<EditedNote> {
  return transact(sql, async (tx) => {
    const session = await lockSession(tx, publicId);
    if (!session) return { type: 'unknown' };
    const [held] = await tx<Note[]>`
      select ${noteColumns(tx, session)} from notes
      where id::text = ${noteId.toLowerCase()} and session_id = ${session.id} and deleted_at is null`;
    if (!held) return { type: 'unknown' };
    // Equal texts do not conflict, and a repeated request changes nothing.
    if (held.text === text) return { type: 'edited', note: held };
    if (held.version !== version) return { type: 'outdated', note: held };
    const [row] = await tx<Note[]>`
      update notes set text = ${text}, edited_at = ${new Date(nowMs)}, edited_by = ${author || null}, version = version + 1
      where id = ${held.id} returning ${noteColumns(tx, session)}`;
    if (!row) return { type: 'unknown' };
    await markNotes(tx, session);
    return { type: 'edited', note: row };
  });
}

/** A tombstone without text and names remains. @returns false for an unknown or deleted note */
export function deleteNote(
  sql: postgres.Sql,
  publicId: string,
  noteId: string,
  nowMs: number,
): Promise<boolean> {
  return transact(sql, async (tx) => {
    const session = await lockSession(tx, publicId);
    if (!session) return false;
    const deleted = await tx`
      update notes set deleted_at = ${new Date(nowMs)}, text = '', author = null, edited_by = null,
        version = version + 1
      where id::text = ${noteId.toLowerCase()} and session_id = ${session.id} and deleted_at is null returning 1`;
    if (deleted.length === 0) return false;
    await markNotes(tx, session);
    return true;
  });
}
