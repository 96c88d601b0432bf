import type postgres from 'postgres';
import type { SeqRange, SourceName } from '../../core/protocol/messages';
import { parseRanges } from '../codes/seq-ranges';
import { sourceCode, sourceOf } from '../codes/sources';
import type { OpenStream } from './types';

export interface StreamHello {
  project: string;
  runner: { name: string; host?: string | undefined; version?: string | undefined };
  stream: string;
  source: SourceName;
}

/** A stream id that belongs to another runner or project: someone copied a queue, or made up an id. */
export class StreamTakenError extends Error {
  override readonly name = 'StreamTakenError';
}

/**
 * Finds or makes the project, the runner and the stream of a hello; safe when many say the same hello at once.
 * A stream keeps the source it was opened with first.
 *
 * @throws StreamTakenError when the stream belongs to another project or runner
 */
export async function openStream(sql: postgres.Sql, hello: StreamHello): Promise<OpenStream> {
  const { project, runner, source } = hello;
  const stream = hello.stream.toLowerCase();
  const found = await findStream(sql, stream);
  const row = found ?? (await createStream(sql, { project, runner, stream, source }));
  if (row.project !== project || row.runner !== runner.name) {
    throw new StreamTakenError(
      `the stream ${stream} belongs to another runner; a runner that starts a new queue makes a new stream id`,
    );
  }
  await noteRunner(sql, row.runnerId, runner);
  return {
    streamId: row.streamId,
    stream,
    projectId: row.projectId,
    project,
    runnerId: row.runnerId,
    source: sourceOf(row.source),
    received: parseRanges(row.received),
  };
}

/** Seqs of a stream that are settled by now: what a welcome states. */
export async function readReceived(sql: postgres.Sql, streamId: number): Promise<SeqRange[]> {
  const [row] = await sql<{ received: string }[]>`
    select received::text as received from streams where id = ${streamId}`;
  return row ? parseRanges(row.received) : [];
}

interface StreamRow {
  streamId: number;
  runnerId: number;
  runner: string;
  projectId: number;
  project: string;
  source: number;
  received: string;
}

async function findStream(sql: postgres.Sql, stream: string): Promise<StreamRow | undefined> {
  const rows = await sql<StreamRow[]>`
    select s.id as "streamId", r.id as "runnerId", r.name as runner, p.id as "projectId", p.name as project,
      s.source, s.received::text as received
    from streams s join runners r on r.id = s.runner_id join projects p on p.id = r.project_id
    where s.stream = ${stream}`;
  return rows[0];
}

async function createStream(sql: postgres.Sql, hello: StreamHello): Promise<StreamRow> {
  const { name, host = null, version = null } = hello.runner;
  await sql`insert into projects (name) values (${hello.project}) on conflict do nothing`;
  await sql`
    insert into runners (project_id, name, host, version)
    select id, ${name}, ${host}, ${version} from projects where name = ${hello.project}
    on conflict do nothing`;
  await sql`
    insert into streams (stream, runner_id, source)
    select ${hello.stream}, r.id, ${sourceCode(hello.source)}::smallint
    from runners r join projects p on p.id = r.project_id
    where p.name = ${hello.project} and r.name = ${name}
    on conflict do nothing`;
  const row = await findStream(sql, hello.stream);
  if (!row) throw new Error(`the stream ${hello.stream} could not be opened`);
  return row;
}

async function noteRunner(sql: postgres.Sql, runnerId: number, runner: StreamHello['runner']): Promise<void> {
  const { host = null, version = null } = runner;
  await sql`
    update runners set host = coalesce(${host}::text, host), version = coalesce(${version}::text, version)
    where id = ${runnerId}
      and (host is distinct from coalesce(${host}::text, host)
        or version is distinct from coalesce(${version}::text, version))`;
}
