import type postgres from 'postgres';
import type { NewNote, Note } from '../../../core/api/notes';
import { transact } from '../../transact';
import { findChain, MAIN_CHAIN } from '../series/find-chain';
import { findPosition } from '../series/find-position';
import { lockSession, markNotes, type NotedSession } from './lock-session';
import { type NoteRow, noteColumns, toNote } from './note-row';

/** Notes a session may have, so that a list of them is read at once. */
export const MOST_NOTES = 500;
/** How far outside of the session a moment may lie: clocks differ, and what went before may be worth a word. */
const SLACK_MS = 86_400_000;

export type AddedNote =
  | { type: 'added'; note: Note }
  | { type: 'unknown' }
  | { type: 'full' }
  /** The moment is not the session's. */
  | { type: 'elsewhere'; from: Date; to: Date };

/** @param nowMs the server's time */
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
    const [row] = await tx<NoteRow[]>`
      insert into notes (session_id, at, turn, text, author, created_at)
      values (${session.id}, ${new Date(atMs)}, ${turn ?? (await turnAt(tx, session, atMs))}, ${text}, ${author || null},
        ${new Date(nowMs)})
      returning ${noteColumns(tx)}`;
    if (!row) throw new Error('a note was not stored');
    await markNotes(tx, session);
    return { type: 'added', note: toNote(row, session.publicId) };
  });
}

/** The last turn of the main chain at a time; 0: it is before the first. */
async function turnAt(tx: postgres.TransactionSql, session: NotedSession, atMs: number): Promise<number> {
  const chain = await findChain(tx, session, MAIN_CHAIN);
  if (!chain) return 0;
  const next = await findPosition(tx, chain, atMs + 1);
  return next?.turnsBefore ?? chain.turnCount;
}
