/**
 * No acknowledgement before the WAL flush that covers it. `strace` records the writes and flushes of the WAL in all
 * processes of PostgreSQL, and the writes of the server to its runners. It stops each process at a call, so the order of
 * its lines is the order of cause and effect.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findDebianProgram } from '../../db/testing/debian-program';
import type { ServerProcess } from '../../e2e/wire/start-server-process';
import type { Place } from './place';
import { openRunner } from './scenarios-crowd';
import { addTo, type Fault, newOutcome } from './under-load';
import { CannotRunError, until } from './until';

const SEGMENT_BYTES = 2 ** 24;
const WITHOUT_FSYNC = 200;

/** Send turns one at a time, each after the acknowledgement of the one before. @returns the runner's port */
async function sendTurns(server: ServerProcess, token: string, key: string, turns: number): Promise<number> {
  const socket = await openRunner(server.url, token, key);
  for (let seq = 1; seq <= turns; seq += 1) {
    socket.send(JSON.stringify([{ type: 'turn', seq, session: key, at: Date.now(), usage: { input: seq } }]));
    const [answer] = await once(socket, 'message');
    if (!String(answer).includes(`"settled":[[${seq},${seq}]]`)) throw new Error(`not settled: ${answer}`);
  }
  const port = (socket as unknown as { _socket: Socket })._socket.localPort ?? 0;
  socket.terminate();
  return port;
}

/** Trace the server and all processes of PostgreSQL, also later ones. */
async function trace(program: string, place: Place, server: ServerProcess, file: string) {
  const children = readFileSync(`/proc/${place.pid()}/task/${place.pid()}/children`, 'utf8')
    .trim()
    .split(' ');
  const pids = [place.pid(), ...children, server.pid];
  const calls = 'trace=pwrite64,fdatasync,write,writev,sendmsg';
  const args = [
    '-f',
    '-yy',
    '-s',
    '300',
    '-e',
    calls,
    '-o',
    file,
    ...pids.flatMap((pid) => ['-p', `${pid}`]),
  ];
  const strace = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  strace.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const attached = () => pids.every((pid) => said.includes(`Process ${pid} attached`));
  await until('the start of strace', () => attached() || strace.exitCode !== null);
  if (!attached()) throw new CannotRunError('strace may not attach to processes');
  return async () => {
    const closed = once(strace, 'close');
    strace.kill('SIGINT');
    await closed;
  };
}

/** Position in the WAL that was flushed when the server wrote the acknowledgement of each `PORT SEQ`. */
async function readTrace(file: string): Promise<Map<string, number>> {
  let written = 0;
  let flushed = 0;
  const flushedAt = new Map<string, number>();
  const open = new Map<string, () => void>();
  for await (const line of createInterface({ input: createReadStream(file, 'latin1') })) {
    const [, pid = '', call = ''] = /^(\d+) +(?:<\.\.\. )?(\w+)/.exec(line) ?? [];
    if (line.includes(' resumed>')) {
      open.get(pid)?.();
      continue;
    }
    const end = startCall(call, line);
    if (line.endsWith('<unfinished ...>')) open.set(pid, end);
    else end();
  }
  return flushedAt;

  /** @returns what the end of the call changes */
  function startCall(call: string, line: string): () => void {
    if (call === 'fdatasync') {
      const covered = written;
      return () => {
        flushed = Math.max(flushed, covered);
      };
    }
    const wal = /pg_wal\/\w{8}(\w{8})(\w{8})>.*, (\d+), (\d+)(?:\)| <unf)/.exec(line);
    if (call === 'pwrite64' && wal) {
      const [log = 0, segment = 0] = wal.slice(1, 3).map((digits) => Number.parseInt(digits, 16));
      const end = log * 2 ** 32 + segment * SEGMENT_BYTES + Number(wal[3]) + Number(wal[4]);
      return () => {
        written = Math.max(written, end);
      };
    }
    const port = /<TCP:\[[\d.:]+->[\d.]+:(\d+)\]>/.exec(line)?.[1];
    for (const [, first, last] of line.matchAll(/settled\\":\[\[(\d+),(\d+)\]/g)) {
      for (let seq = Number(first); seq <= Number(last); seq += 1) flushedAt.set(`${port} ${seq}`, flushed);
    }
    return () => undefined;
  }
}

export const traceFaults: Readonly<Record<string, Fault>> = {
  async 'wal-flush'(place, { times, runners, turns }) {
    const program = findDebianProgram('strace', 'usr/bin/strace');
    if (!program) throw new CannotRunError('needs strace, installed or from Debian’s package registry');
    const { sql } = place;
    const server = await place.serve();
    await sql`create extension pg_walinspect`;
    const total = newOutcome(times);

    /** @returns acknowledgements before their flush */
    const countEarly = async (name: string, each: number): Promise<number> => {
      const file = join(place.folder, `${name}.trace`);
      const [start] = await sql<{ at: string }[]>`select pg_current_wal_flush_lsn() as at`;
      const stop = await trace(program, place, server, file);
      const keys = Array.from({ length: runners }, (_, index) => `${name}-${index}`);
      const ports = await Promise.all(keys.map((key) => sendTurns(server, place.token, key, each)));
      await stop();
      const flushedAt = await readTrace(file);
      const commits = await sql<{ key: string; seq: number; end: number }[]>`
        select s.key, t.input as seq, (w.end_lsn - '0/0')::float8 as end
        from turns t join sessions s on s.id = t.session_id
        join pg_get_wal_records_info(${start?.at ?? ''}::pg_lsn, pg_current_wal_insert_lsn()) w
          on w.xid = t.xmin and w.resource_manager = 'Transaction' and w.record_type like 'COMMIT%'
        where s.key = any(${keys}::text[])`;
      addTo(total, {
        turns: each * runners,
        lost: each * runners - commits.length,
        doubled: 0,
        wrongSums: 0,
      });
      return commits.filter(({ key, seq, end }) => {
        const flushed = flushedAt.get(`${ports[keys.indexOf(key)]} ${seq}`);
        if (flushed === undefined) total.problems.push(`no acknowledgement of ${key} ${seq} in the trace`);
        return (flushed ?? 0) < end;
      }).length;
    };
    const early = await countEarly('traced', turns / runners);
    if (early > 0) total.problems.push(`${early} acknowledgements came before their flush`);
    await sql`alter system set fsync = off`;
    await sql`select pg_reload_conf()`;
    const caught = await countEarly('without-fsync', WITHOUT_FSYNC / runners);
    if (caught < WITHOUT_FSYNC / 2) total.problems.push('the comparison passed with fsync = off');
    total.note = `with fsync = off, ${caught} of ${WITHOUT_FSYNC} acknowledgements were early`;
    return total;
  },
};
