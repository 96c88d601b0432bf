/** Lists and reads the sessions in databases. The path of a session is `<file>#<id>`. */
import { databaseFormatOf, type Identified } from '../../../core/agents/registry';
import { databaseStamp, queryDatabase, sqliteProblem } from './sqlite';

interface ListedSession {
  id: string;
  /** Milliseconds. */
  changed: number;
  head: string;
}

/** Maximum time between the stated time of a line and its commit. */
const LATE_MS = 2_000;
/** The sessions of each database, and the stamp of the database at the time of reading. */
const listed = new Map<string, { stamp: string; sessions: ListedSession[] }>();

export function isDatabase(path: string): boolean {
  return databaseFormatOf(path) !== undefined;
}

function splitPath(path: string): { file: string; id: string | null } {
  const [file = path, id = null] = path.split(/#(?=[^#/\\]*$)/);
  return { file, id };
}

/** The time of the last change of each session, by path. Empty if the database cannot be read. */
export async function listSessions(file: string): Promise<Map<string, number>> {
  const sessions = await readSessions(file).catch(() => []);
  return new Map(sessions.map(({ id, changed }) => [`${file}#${id}`, changed]));
}

/** Null: there is no such session. @throws SQLite's error */
export async function findSession(path: string): Promise<(Identified & { changed: number }) | null> {
  const format = databaseFormatOf(path);
  const { file, id } = splitPath(path);
  const found = (await readSessions(file)).find((each) => each.id === id);
  const identity = found && format?.identify(path, found.head);
  return format && identity ? { format, identity, changed: found.changed } : null;
}

async function readSessions(file: string): Promise<ListedSession[]> {
  const sql = databaseFormatOf(file)?.database?.sessions;
  const stamp = await databaseStamp(file);
  const known = listed.get(file);
  if (known?.stamp === stamp) return known.sessions;
  if (sql === undefined || (await sqliteProblem()) !== null) return [];
  const rows = await queryDatabase(file, sql);
  const sessions = rows.map(({ id, changed, head }) => ({
    ...{ id: String(id), changed: Number(changed), head: String(head) },
  }));
  listed.set(file, { stamp, sessions });
  return sessions;
}

/** The lines that changed since a time, and the newest time of a change. @throws SQLite's error, or Error for a wrong line */
export async function readChangedLines(
  path: string,
  since: number,
): Promise<{ lines: string[]; changed: number }> {
  const { file, id } = splitPath(path);
  const sql = databaseFormatOf(file)?.database?.lines ?? '';
  const parameters = { ':session': id ?? '', ':since': Math.max(0, since - LATE_MS) };
  const rows = await queryDatabase(file, sql, parameters);
  const changed = rows.reduce((newest, row) => Math.max(newest, Number(row.changed)), since);
  return { lines: readableLines(file, rows), changed };
}

/** The session up to the end of a compaction, as lines. @throws SQLite's error, or Error for a wrong line */
export async function readTranscript(path: string, boundary: string): Promise<string> {
  const { file, id } = splitPath(path);
  const sql = databaseFormatOf(file)?.database?.transcript ?? '';
  const rows = await queryDatabase(file, sql, { ':session': id ?? '', ':boundary': boundary });
  return readableLines(file, rows)
    .map((line) => `${line}\n`)
    .join('');
}

/** A wrong line would become wrong turns, so it stops the reading. @throws Error that names the file and the fault */
function readableLines(file: string, rows: readonly Record<string, unknown>[]): string[] {
  const { findFault } = databaseFormatOf(file)?.database ?? {};
  return rows.map(({ line }) => {
    const text = String(line);
    const fault = findFault?.(text) ?? null;
    if (fault !== null) throw new Error(`${file}: ${fault}`);
    return text;
  });
}

export function stampOf(path: string): Promise<string> {
  return databaseStamp(splitPath(path).file);
}
