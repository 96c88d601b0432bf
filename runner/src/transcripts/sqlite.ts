/**
 * Reads a SQLite database while its owner writes it. Uses Node's own SQLite, or on a Node without it the package
 * node-sqlite3-wasm, so no native build is needed. Either is loaded only if a database is read.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { open, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyWal, WAL_HEADER_BYTES } from './apply-wal';

type Row = Record<string, unknown>;
type Parameters = Record<string, string | number>;

interface Engine {
  DatabaseSync?: new (
    path: string,
    options: object,
  ) => {
    prepare(sql: string): { all(parameters: Parameters): Row[] };
    close(): void;
  };
  Database?: new (
    path: string,
    options: object,
  ) => {
    all(sql: string, parameters: Parameters): Row[];
    close(): void;
  };
}

type Wasm = NonNullable<Engine['Database']>;

/** The names are in variables, so that the bundler does not resolve these imports. */
const NATIVE = 'node:sqlite';
const WASM = 'node-sqlite3-wasm';
const ATTEMPTS = 5;
/** https://sqlite.org/walformat.html#the_wal_index_file_format */
const INDEX_HEADER_BYTES = 48;
let engine: Promise<Engine> | undefined;

async function loadEngine(): Promise<Engine> {
  try {
    return (await import(NATIVE)) as Engine;
  } catch {
    const wasm = (await import(WASM).catch(() => ({}))) as Engine & { default?: Engine };
    return wasm.default ?? wasm;
  }
}

/** Why this program cannot read databases; null if it can. */
export async function sqliteProblem(): Promise<string | null> {
  engine ??= loadEngine();
  const { DatabaseSync, Database } = await engine;
  const isKnown = DatabaseSync !== undefined || Database !== undefined;
  return isKnown
    ? null
    : `this needs Node 22.13, or the package ${WASM}, which is missing from the installation`;
}

export type Query = (sql: string, parameters?: Parameters) => Row[];

/** @returns what `read` returns. @throws SQLite's error, or Error if SQLite is missing */
export async function readDatabase<T>(file: string, read: (query: Query) => T): Promise<T> {
  const problem = await sqliteProblem();
  if (problem !== null) throw new Error(problem);
  const { DatabaseSync, Database } = (await engine) ?? {};
  if (DatabaseSync === undefined) return readCopy(Database as Wasm, file, read);
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return read((sql, parameters = {}) => database.prepare(sql).all(parameters));
  } finally {
    database.close();
  }
}

/** SQLite in WebAssembly cannot share the owner's locks and log, so it reads a copy to which the log has been applied. */
async function readCopy<T>(Database: Wasm, file: string, read: (query: Query) => T): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'barograph-sqlite-'));
  try {
    const copy = join(folder, 'copy.db');
    await writeFile(copy, await readImage(file), { mode: 0o600 });
    const database = new Database(copy, { readOnly: true });
    try {
      return read((sql, parameters = {}) => database.all(sql, parameters));
    } finally {
      database.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The bytes of the database after its log was applied. If the owner starts a new log meanwhile, reading starts again. */
async function readImage(file: string): Promise<Buffer> {
  for (let attempt = 1; ; attempt += 1) {
    const before = await readHead(`${file}-wal`, WAL_HEADER_BYTES);
    const main = await readFile(file);
    const wal = await readFile(`${file}-wal`).catch(emptyIfMissing);
    if (wal.subarray(0, WAL_HEADER_BYTES).equals(before)) return applyWal(main, wal);
    if (attempt === ATTEMPTS) throw new Error(`${file} changes too fast to be copied`);
  }
}

function emptyIfMissing(error: NodeJS.ErrnoException): Buffer {
  if (error.code === 'ENOENT') return Buffer.alloc(0);
  throw error;
}

async function readHead(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path).catch(emptyIfMissing);
  if (Buffer.isBuffer(file)) return file;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/**
 * A text that changes with each write to the database and with each commit. It includes the header of the log's index,
 * because SQLite commits a transaction by updating this header after the last write to the log.
 */
export async function databaseStamp(file: string): Promise<string> {
  const index = await readHead(`${file}-shm`, INDEX_HEADER_BYTES);
  const written = [file, `${file}-wal`].map((each) => {
    const info = statSync(each, { throwIfNoEntry: false });
    return info === undefined ? '' : `${info.size} ${info.mtimeMs}`;
  });
  return [...written, index.toString('base64')].join(' ');
}
