import type postgres from 'postgres';
import type { CommandAction } from '../../core/protocol/commands';
import { type ProjectSource, projectSource, type SourceName, sourceName } from '../../core/protocol/messages';
import { parseRanges } from '../codes/seq-ranges';
import { sourceCode, sourceOf } from '../codes/turn-bits';
import type { OpenStream, StoreCost } from './types';

export interface StreamHello {
  project: string;
  projectSource?: ProjectSource | undefined;
  client?: string | undefined;
  runner: { name: string; host?: string | undefined; version?: string | undefined };
  stream: string;
  source: SourceName;
  commands?: readonly CommandAction[] | undefined;
  /** Undelivered items in the runner's queue. */
  queued?: number | undefined;
  charge?: ((cost: StoreCost, amount: number) => void) | undefined;
}

/** The stream id belongs to another runner, project or client, because a queue was copied or the id was made up. */
export class StreamTakenError extends Error {
  override readonly name = 'StreamTakenError';
}

/**
 * Find or create a stream; safe under concurrent calls. The first hello sets the source permanently.
 * @throws StreamTakenError
 */
export async function openStream(sql: postgres.Sql, hello: StreamHello): Promise<OpenStream> {
  const stream = hello.stream.toLowerCase();
  const {
    client = null,
    runner: { name },
  } = hello;
  const row = (await findStream(sql, stream)) ?? (await createStream(sql, { ...hello, stream }));
  if (!row) throw new Error(`the stream ${stream} could not be opened`);
  const { runner, host, version, received, source, ...known } = row;
  if (known.project !== hello.project || known.client !== client || runner !== name) {
    throw new StreamTakenError(
      `the stream ${stream} belongs to another runner; a runner that starts a new queue makes a new stream id`,
    );
  }
  const { host: newHost = host, version: newVersion = version } = hello.runner;
  if (newHost !== host || newVersion !== version) {
    await sql`update runners set host = ${newHost}, version = ${newVersion} where id = ${known.runnerId}`;
  }
  const commands = [...new Set(hello.commands ?? [])].sort();
  await sql`update streams set commands = ${commands} where id = ${known.streamId} and commands <> ${commands}::text[]`;
  await noteSeen(sql, known.runnerId);
  if (hello.queued !== undefined) {
    await sql`update streams set queued_before = queued, queued = ${hello.queued} where id = ${known.streamId}`;
  }
  const projectRank = client === null ? 0 : rankOf(hello.projectSource ?? 'setting', source);
  return { ...known, stream, projectRank, source: sourceOf(source), received: parseRanges(received) };
}

/** Note a sign of a runner, at most every ten seconds. */
export async function noteSeen(sql: postgres.Sql, runnerId: number): Promise<void> {
  await sql`
    update runners set seen_at = now()
    where id = ${runnerId} and (seen_at is null or seen_at < now() - interval '10 seconds')`;
}

/** Ranks by the source of the project first, then by the source of the numbers. */
function rankOf(stated: ProjectSource, source: number): number {
  const { options } = projectSource;
  return 1 + options.indexOf(stated) * sourceName.options.length + source;
}

type StreamRow = Omit<OpenStream, 'stream' | 'projectRank' | 'source' | 'received'> & {
  runner: string;
  host: string | null;
  version: string | null;
  source: number;
  received: string;
};

async function findStream(sql: postgres.Sql, stream: string): Promise<StreamRow | undefined> {
  const rows = await sql<StreamRow[]>`
    select s.id as "streamId", r.id as "runnerId", r.name as runner, r.host, r.version, p.id as "projectId",
      p.name as project, s.client, s.source, s.received::text as received
    from streams s join runners r on r.id = s.runner_id join projects p on p.id = r.project_id
    where s.stream = ${stream}`;
  return rows[0];
}

async function createStream(sql: postgres.Sql, hello: StreamHello): Promise<StreamRow | undefined> {
  const { client = null } = hello;
  const { name, host = null, version = null } = hello.runner;
  hello.charge?.('STREAMS', 1);
  const projects = await sql`insert into projects (name) values (${hello.project}) on conflict do nothing`;
  hello.charge?.('PROJECTS', projects.count);
  await sql`
    insert into runners (project_id, name, host, version)
    select id, ${name}, ${host}, ${version} from projects where name = ${hello.project}
    on conflict do nothing`;
  await sql`
    insert into streams (stream, runner_id, source, client)
    select ${hello.stream}, r.id, ${sourceCode(hello.source)}::smallint, ${client}
    from runners r join projects p on p.id = r.project_id
    where p.name = ${hello.project} and r.name = ${name}
    on conflict do nothing`;
  return findStream(sql, hello.stream);
}
