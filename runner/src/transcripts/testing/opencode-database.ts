/**
 * A database of OpenCode that another process writes. The tables of OpenCode 1 have the columns of 1.18.33, and those of
 * OpenCode 2 the columns of 2.0 that Barograph reads.
 */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Database } from 'node-sqlite3-wasm';

const WRITER = fileURLToPath(new URL('opencode-writer.py', import.meta.url));
export const SCHEMA = [
  `create table session (id text primary key, project_id text not null, workspace_id text, parent_id text,
    slug text not null, directory text not null, path text, title text not null, version text not null,
    time_created integer not null, time_updated integer not null, time_compacting integer, time_archived integer)`,
  `create table message (id text primary key, session_id text not null, time_created integer not null,
    time_updated integer not null, data text not null)`,
  `create table part (id text primary key, message_id text not null, session_id text not null,
    time_created integer not null, time_updated integer not null, data text not null)`,
  'create index message_session_time_created_id_idx on message (session_id, time_created, id)',
  'create index part_message_id_id_idx on part (message_id, id)',
  'create index part_session_idx on part (session_id)',
];

export const SECOND_SCHEMA = [
  `create table session_v2 (id text primary key, project_id text not null, parent_id text, fork_session_id text,
    slug text not null, directory text not null, title text, version text not null, model text,
    time_created integer not null, time_updated integer not null)`,
  `create table session_message (id text primary key, session_id text not null, type text not null,
    seq integer not null, time_created integer not null, time_updated integer not null, data text not null)`,
  'create index session_message_session_time_created_id_idx on session_message (session_id, time_created, id)',
];

export interface Tokens {
  input: number;
  output: number;
  reasoning?: number;
  read?: number;
  write?: number;
}

export type Statement = [sql: string, parameters: (string | number | null)[]];

export function hasPython(): boolean {
  return spawnSync('python3', ['-c', 'import sqlite3']).status === 0;
}

export class OpencodeDatabase {
  private number = 0;

  private constructor(private readonly writer: ChildProcessWithoutNullStreams) {}

  static async create(file: string): Promise<OpencodeDatabase> {
    const database = new OpencodeDatabase(spawn('python3', [WRITER, file]));
    await database.run(SCHEMA.map((sql) => [sql, []]));
    return database;
  }

  async stop(): Promise<void> {
    const ended = once(this.writer, 'exit');
    this.writer.stdin.end();
    await ended;
  }

  async run(statements: Statement[]): Promise<void> {
    const done = once(this.writer.stdout, 'data');
    this.writer.stdin.write(`${JSON.stringify(statements)}\n`);
    await done;
  }

  session(id: string, at: number, more: { parent?: string; title?: string } = {}): Promise<void> {
    const { parent = null, title = 'New session - 2026' } = more;
    const values = [id, 'global', parent, 'calm-circuit', '/home/dev/harbour', title, '1.18.33', at, at];
    return this.run([
      [
        `insert into session (id, project_id, parent_id, slug, directory, title, version, time_created, time_updated)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        values,
      ],
    ]);
  }

  /** Writes a message of the user. If `auto` is given, the message requests a compaction. */
  async ask(session: string, at: number, auto?: boolean): Promise<string> {
    const id = this.nextId('msg');
    const message = { role: 'user', time: { created: at }, agent: 'build' };
    const part = auto === undefined ? { type: 'text', text: 'Go on' } : { type: 'compaction', auto };
    await this.run([insert('message', [id, session, at, at], message), this.partOf(id, session, at, part)]);
    return id;
  }

  /** Writes an answer of the model: first without tokens, then complete. */
  async answer(
    session: string,
    at: number,
    tokens: Tokens,
    more: Record<string, unknown> = {},
  ): Promise<string> {
    const id = this.nextId('msg');
    const { input, output, reasoning = 0, read = 0, write = 0 } = tokens;
    const figures = { input, output, reasoning, cache: { read, write } };
    const total = input + output + reasoning + read + write;
    const message = { role: 'assistant', modelID: 'model-a', providerID: 'scripted', ...more };
    const open = { ...message, time: { created: at }, tokens: { input: 0, output: 0, cache: {} } };
    await this.run([insert('message', [id, session, at, at], open)]);
    const done = { ...message, time: { created: at, completed: at + 1 }, finish: 'stop', tokens: figures };
    await this.run([
      this.partOf(id, session, at + 1, { type: 'step-finish', tokens: { total, ...figures } }),
      ['update message set data = ?, time_updated = ? where id = ?', [JSON.stringify(done), at + 1, id]],
    ]);
    return id;
  }

  /** Copies a session to the tables of OpenCode 2, with a message. */
  async upgrade(session: string, message: string): Promise<void> {
    await this.run([
      ...SECOND_SCHEMA.map((sql): Statement => [sql, []]),
      [
        `insert into session_v2 select id, project_id, parent_id, null, slug, directory, title, version, null,
          time_created, time_updated from session where id = ?`,
        [session],
      ],
      [
        `insert into session_message select id, session_id, 'assistant', 0, time_created, time_updated,
          json_remove(data, '$.role') from message where id = ?`,
        [message],
      ],
    ]);
  }

  /** Writes a message of OpenCode 2. */
  async add(session: string, type: string, at: number, data: object): Promise<string> {
    const id = this.nextId('msg');
    await this.run([messageRow(id, session, type, this.number, at, data)]);
    return id;
  }

  private nextId(kind: string): string {
    this.number += 1;
    return `${kind}_${String(this.number).padStart(6, '0')}`;
  }

  private partOf(message: string, session: string, at: number, data: object): Statement {
    return insert('part', [this.nextId('prt'), message, session, at, at], data);
  }
}

/** A message of OpenCode 2. */
export function messageRow(
  id: string,
  session: string,
  type: string,
  seq: number,
  at: number,
  data: object,
): Statement {
  const sql = 'insert into session_message values (?, ?, ?, ?, ?, ?, ?)';
  return [sql, [id, session, type, seq, at, at + 1, JSON.stringify({ time: { created: at }, ...data })]];
}

/** The data of an answer of OpenCode 2. */
export function answerData(at: number, { input, output, reasoning = 0, read = 0, write = 0 }: Tokens) {
  const tokens = { input, output, reasoning, cache: { read, write } };
  const model = { providerID: 'scripted', id: 'model-a', variant: 'default' };
  const content = [{ type: 'text', text: 'Done.' }];
  return { agent: 'build', model, content, finish: 'stop', tokens, time: { created: at, completed: at + 1 } };
}

/** Writes a database without another process. */
export function writeDatabase(file: string, statements: readonly Statement[]): void {
  const database = new Database(file);
  for (const [sql, parameters] of statements) database.run(sql, parameters);
  database.close();
}

export function insert(table: string, values: (string | number)[], data: object): Statement {
  const all = [...values, JSON.stringify(data)];
  return [`insert into ${table} values (${all.map(() => '?').join(', ')})`, all];
}
