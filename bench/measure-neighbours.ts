/**
 * How long a neighbour waits for acknowledgements while 20 other senders send items of one kind, compared with the same
 * rate of plain turns. Both alternate within one run. The neighbour sends one turn at a time on its own connection, at an
 * even pace, and its time counts from when the turn was due, so a long pause counts for every turn that it delays.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as rest } from 'node:timers/promises';
import type postgres from 'postgres';
import { median } from '../core/forecast/median';
import { createToken } from '../db/queries/tokens';
import { refusePoison } from '../db/testing/refuse-poison';
import type { BarographServer } from '../e2e/support/server';
import type { BenchDatabase } from './lib/bench-database';
import { connect } from './lib/connect-runner';
import { type Figure, quantile } from './lib/figures';
import { familyOf } from './lib/keep-behind';
import { createTurnSource } from './lib/make-turns';
import { KINDS, type Kind } from './lib/play-kinds';
import { ask, startPlayers, targetOf, withServer } from './lib/processes';

const SENDERS = 20;
const PER_SECOND = 40;
/** Pace of the neighbour. */
const EVERY_MS = 50;
const READERS = 4;
const QUIET_MS = 600_000;
/** Of a kernel tick, in which /proc counts processor time. */
const TICK_MS = 10;
const MEBIBYTE = 2 ** 20;

interface Scale {
  rounds: number;
  seconds: number;
  stored: number;
  /** Chains that one frame names. */
  chains: number;
}

interface Phase {
  times: number[];
  /** Processor time of the server and PostgreSQL, until all sessions of the phase are recomputed. */
  cpuMs: number;
  /** Highest memory of the server. */
  peakMiB: number;
}

export async function measureNeighbours(
  database: BenchDatabase,
  { neighbours }: { neighbours: Scale },
): Promise<Figure[]> {
  const { sql } = database;
  const { rounds, seconds, stored, chains } = neighbours;
  await refusePoison(sql);
  const names = Array.from({ length: SENDERS }, (_, index) => `sender-${index}`);
  const tokens = await Promise.all(names.map((name) => createToken(sql, { name, scopes: ['ingest'] })));
  const players = startPlayers();
  try {
    return await withServer(database, 'all', async (server) => {
      const target = targetOf(server);
      await ask(players, { type: 'open', url: target.url, tokens, stored });
      const neighbour = await connect(target, 'neighbour', 'neighbour');
      const source = createTurnSource('neighbour', 1, Date.now());
      const send = async () => {
        await neighbour.send(JSON.stringify(source.next(1)));
        await neighbour.settled();
      };
      const play = async (kind: Kind, round: number): Promise<Phase> => {
        await untilQuiet(sql);
        const ms = kind === 'chains' ? (chains / PER_SECOND) * 1_000 : seconds * 1_000;
        // The kernel then counts the peak from now on.
        writeFileSync(`/proc/${server.pid}/clear_refs`, '5');
        const before = cpuOf([server.pid, database.pid]);
        const reads = kind === 'exports' ? readExports(server, sql) : null;
        const played = ask(players, { type: 'kind', kind, ms, perSecond: PER_SECOND, round });
        const times = await paceFor(ms, send);
        await Promise.all([played, reads?.stop()]);
        const peakMiB = peakOf(server.pid);
        await untilQuiet(sql);
        process.stderr.write(`  round ${round}, ${kind}: p99 ${Math.round(quantile(times, 0.99))} ms\n`);
        return { times, cpuMs: cpuOf([server.pid, database.pid]) - before, peakMiB };
      };
      await play('plain', 0);
      const pairs: { kind: Kind; plain: Phase; other: Phase }[] = [];
      const alone: Phase[] = [];
      for (let round = 1; round <= rounds; round += 1) {
        alone.push(await play('none', round));
        for (const kind of KINDS)
          pairs.push({ kind, plain: await play('plain', round), other: await play(kind, round) });
      }
      neighbour.close();
      return [...KINDS.flatMap((kind) => figuresOf(kind, pairs)), ...costs(pairs, alone)];
    });
  } finally {
    players.kill();
  }
}

function figuresOf(kind: Kind, all: readonly { kind: Kind; plain: Phase; other: Phase }[]): Figure[] {
  const pairs = all.filter((pair) => pair.kind === kind);
  const ratios = pairs.map(({ plain, other }) => quantile(other.times, 0.99) / quantile(plain.times, 0.99));
  const times = pairs.flatMap(({ other }) => other.times);
  const beside = pairs.flatMap(({ plain }) => plain.times);
  const name = `Neighbour of ${kind}`;
  return [
    { name: `${name}: p99, divided by p99 beside plain turns`, value: median(ratios), most: 2 },
    { name: `${name}: p50`, value: quantile(times, 0.5), unit: 'ms' },
    { name: `${name}: p99`, value: quantile(times, 0.99), unit: 'ms' },
    { name: `${name}: p99 beside plain turns`, value: quantile(beside, 0.99), unit: 'ms' },
    { name: `${name}: longest`, value: quantile(times, 1), unit: 'ms' },
  ];
}

/** The processor time of an item is that of its phase, without the time of a phase with the neighbour alone. */
function costs(
  pairs: readonly { kind: Kind; plain: Phase; other: Phase }[],
  alone: readonly Phase[],
): Figure[] {
  const idle = median(alone.map(({ cpuMs }) => cpuMs));
  const late = pairs.filter(({ kind }) => kind === 'late');
  const ratios = late.map(({ plain, other }) => (other.cpuMs - idle) / (plain.cpuMs - idle));
  const exports = pairs.filter(({ kind }) => kind === 'exports');
  return [
    {
      name: 'Neighbour alone: p99',
      value: quantile(
        alone.flatMap(({ times }) => times),
        0.99,
      ),
      unit: 'ms',
    },
    { name: 'Processor time of a late item, divided by that of a plain one', value: median(ratios), most: 3 },
    {
      name: 'Memory of the server during exports',
      value: Math.max(...exports.map(({ other }) => other.peakMiB)),
      unit: 'MiB',
    },
    {
      name: 'Memory of the server beside plain turns',
      value: Math.max(...pairs.map(({ plain }) => plain.peakMiB)),
      unit: 'MiB',
    },
  ];
}

/** @returns the time of each turn, from when it was due */
async function paceFor(ms: number, send: () => Promise<void>): Promise<number[]> {
  const startedAt = performance.now();
  const times: number[] = [];
  for (let due = 0; due < ms; due += EVERY_MS) {
    await rest(Math.max(0, startedAt + due - performance.now()));
    await send();
    times.push(performance.now() - startedAt - due);
  }
  return times;
}

/** Wait until no session waits for its recomputation. */
async function untilQuiet(sql: postgres.Sql): Promise<void> {
  for (const until = Date.now() + QUIET_MS; Date.now() < until; await rest(100)) {
    const waiting = await sql`select from sessions where recompute_from is not null limit 1`;
    if (waiting.length === 0) return;
  }
  throw new Error('the recomputation of a phase does not end');
}

/** Clients that download long sessions, and the history of all projects, again and again. */
function readExports({ url, connection }: BarographServer, sql: postgres.Sql) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const headers = { authorization: `Bearer ${connection.readToken}` };
  const work = async (reader: number) => {
    const rows = await sql<{ id: string }[]>`
      select public_id as id from sessions where turn_count > 1000 order by id`;
    for (let read = reader; !signal.aborted; read += 1) {
      const session = `sessions/${rows[read % rows.length]?.id}`;
      const paths = [
        `${session}/turns?format=csv`,
        `${session}/turns?format=json`,
        `${session}/events?format=csv`,
        'history?from=2020-01-01T00:00:00Z&format=csv',
      ];
      const response = await fetch(`${url}/api/v1/${paths[read % paths.length]}`, { headers, signal });
      if (!response.ok) throw new Error(`an export was refused: ${await response.text()}`);
      for await (const _ of response.body ?? []);
    }
  };
  const reading = Array.from({ length: READERS }, (_, reader) =>
    work(reader).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    }),
  );
  return {
    async stop() {
      stopping.abort();
      await Promise.all(reading);
    },
  };
}

function cpuOf(roots: readonly (number | undefined)[]): number {
  const ticks = roots
    .flatMap((pid) => (pid === undefined ? [] : familyOf(pid)))
    .flatMap((pid) => {
      const stat = readIfThere(`/proc/${pid}/stat`);
      // User and system time of the process, and of its children that ended.
      return stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .slice(11, 15)
        .map(Number);
    });
  return ticks.reduce((sum, each) => sum + each, 0) * TICK_MS;
}

/** A process may end meanwhile. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function peakOf(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return (Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024) / MEBIBYTE;
}
