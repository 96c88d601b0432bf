/** Lists and reads the sessions in databases. The path of a session is `<file>#<id>`. */
import { existsSync } from 'node:fs';
import type { DatabaseFormat } from '../../../core/agents/agent-format';
import { parseFields } from '../../../core/agents/fields';
import { databaseFormatOf, type Identified } from '../../../core/agents/registry';
import { messageOf } from '../guard';
import { databaseStamp, type Query, readDatabase } from './sqlite';

interface ListedSession {
  id: string;
  /** Milliseconds. */
  changed: number;
  head: string;
}

interface Listing {
  /** Stamp of the database at the time of reading. */
  stamp: string;
  sessions: ListedSession[];
  /** Which tables are unknown; null: none. */
  problem: string | null;
}

/** Maximum time between the stated time of a line and its commit. */
const LATE_MS = 2_000;
const listed = new Map<string, Listing>();

export function isDatabase(path: string): boolean {
  return databaseFormatOf(path) !== undefined;
}

function splitPath(path: string): { file: string; id: string | null } {
  const [file = path, id = null] = path.split(/#(?=[^#/\\]*$)/);
  return { file, id };
}

/** The database of a session. */
export function fileOf(path: string): string {
  return splitPath(path).file;
}

export interface Unread {
  /** Path of a database that cannot be read, or not all of it. */
  path: string;
  reason: string;
}

/** The time of the last change of each session, by path, and why sessions may be missing. A missing file has none. */
export async function listSessions(file: string): Promise<{ sizes: Map<string, number>; unread: Unread[] }> {
  try {
    const { sessions, problem } = await readSessions(file);
    const sizes = new Map(sessions.map(({ id, changed }) => [`${file}#${id}`, changed]));
    return { sizes, unread: problem === null ? [] : [{ path: file, reason: problem }] };
  } catch (error) {
    return { sizes: new Map(), unread: [{ path: file, reason: messageOf(error) }] };
  }
}

/** Null: there is no such session. @throws SQLite's error */
export async function findSession(path: string): Promise<(Identified & { changed: number }) | null> {
  const format = databaseFormatOf(path);
  const { file, id } = splitPath(path);
  const found = (await readSessions(file)).sessions.find((each) => each.id === id);
  const identity = found && format?.identify(path, found.head);
  return format && identity ? { format, identity, changed: found.changed } : null;
}

async function readSessions(file: string): Promise<Listing> {
  const stamp = await databaseStamp(file);
  const known = listed.get(file);
  if (known?.stamp === stamp) return known;
  if (!existsSync(file)) return { stamp, sessions: [], problem: null };
  const listing = await readDatabase(file, (query) => {
    const { queries, problem } = readSchema(file, query);
    const sessions = (queries === null ? [] : query(queries.sessions)).map(({ id, changed, head }) => ({
      ...{ id: String(id), changed: Number(changed), head: String(head) },
    }));
    return { stamp, sessions, problem };
  });
  listed.set(file, listing);
  return listing;
}

function readSchema(file: string, query: Query) {
  const columns = query(
    `select m.name as "table", c.name as "column" from sqlite_master m join pragma_table_info(m.name) c
     where m.type = 'table'`,
  );
  const schema = new Map<string, Set<string>>();
  for (const { table, column } of columns) {
    const names = schema.get(String(table)) ?? new Set();
    schema.set(String(table), names.add(String(column)));
  }
  return formatOf(file).queriesFor(schema);
}

/** @throws Error if the path is not that of a database */
function formatOf(path: string): DatabaseFormat {
  const database = databaseFormatOf(path)?.database;
  if (database === undefined) throw new Error(`${path} is not a database of a known client`);
  return database;
}

/** The lines that changed since a time, and the newest time of a change. @throws SQLite's error, or Error for a wrong line */
export async function readChangedLines(
  path: string,
  since: number,
): Promise<{ lines: string[]; changed: number }> {
  const rows = await readRows(path, 'lines', { ':since': Math.max(0, since - LATE_MS) });
  const changed = rows.reduce((newest, row) => Math.max(newest, Number(row.changed)), since);
  return { lines: readableLines(path, rows), changed };
}

/** The session up to the end of a compaction, as lines. @throws SQLite's error, or Error for a wrong or missing line */
export async function readTranscript(path: string, boundary: string): Promise<string> {
  const lines = readableLines(path, await readRows(path, 'transcript', { ':boundary': boundary }));
  // The client may have deleted the message since the compaction was read.
  if (!lines.some((line) => parseFields(line)?.id === boundary))
    throw new Error(`the database no longer contains message ${boundary}`);
  return lines.map((line) => `${line}\n`).join('');
}

function readRows(path: string, name: 'lines' | 'transcript', parameters: Record<string, string | number>) {
  const { file, id } = splitPath(path);
  return readDatabase(file, (query) => {
    const { queries, problem } = readSchema(file, query);
    if (queries === null) throw new Error(problem ?? 'unknown schema');
    return query(queries[name], { ':session': id ?? '', ...parameters });
  });
}

/** A wrong line would become wrong turns, so it stops the reading. @throws Error that names the file and the fault */
function readableLines(path: string, rows: readonly Record<string, unknown>[]): string[] {
  const { findFault } = formatOf(path);
  return rows.map(({ line }) => {
    const text = String(line);
    const fault = findFault(text);
    if (fault !== null) throw new Error(`${splitPath(path).file}: ${fault}`);
    return text;
  });
}

export function stampOf(path: string): Promise<string> {
  return databaseStamp(splitPath(path).file);
}
