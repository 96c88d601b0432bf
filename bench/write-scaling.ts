/** `npm run scaling`: measures what a turn and a connection cost, and writes docs/scaling.md from these figures. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { PROTOCOL_VERSION } from '../core/protocol/version';
import { openCluster, openPlace, type Place } from '../scripts/chaos/place';
import { until } from '../scripts/chaos/until';
import { projectFolder } from '../scripts/lib/project-folder';
import { startBenchDatabase } from './lib/bench-database';
import { measureSize } from './measure-size';

const RUNNERS = 40;
const TURNS = 30_000;
const PER_SECOND = 3_000;
const SOCKETS = 1_000;
/** The kernel counts processor time in hundredths of a second. */
const TICK_S = 0.01;

const ASSUMED = {
  secondsPerTurn: 30,
  hoursPerDay: 8,
  daysKept: 30,
  busyShare: 0.5,
  sessionsPerViewer: 100,
  coresPerDatabase: 16,
  terabytesPerDatabase: 10,
  dollarsPerCore: 25,
  dollarsPerTerabyte: 100,
  viewersPerProcess: 1_000,
};
const FLEETS = [1_000, 100_000, 10_000_000];

const statOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
const cpuSeconds = (pid: number) => (Number(statOf(pid)[11]) + Number(statOf(pid)[12])) * TICK_S;
const megabytes = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

/** Processor time of PostgreSQL and its connections. */
function databaseSeconds(pid: number): number {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  const parts = pids.map((each) => {
    try {
      return each === pid || Number(statOf(each)[1]) === pid ? cpuSeconds(each) : 0;
    } catch {
      return 0;
    }
  });
  return parts.reduce((sum, part) => sum + part, 0);
}

async function measureTurns(place: Place) {
  const server = await place.serve(0, undefined, { BAROGRAPH_ROLE: 'ingest' });
  const load = place.load([server], { runners: RUNNERS, seed: 1 });
  const before = { server: cpuSeconds(server.pid), database: databaseSeconds(place.pid()) };
  load.start(PER_SECOND);
  await until('the load', () => load.issued >= TURNS, 600_000);
  await load.finish();
  const turns = load.issued;
  return {
    serverMicroseconds: ((cpuSeconds(server.pid) - before.server) / turns) * 1e6,
    databaseMicroseconds: ((databaseSeconds(place.pid()) - before.database) / turns) * 1e6,
  };
}

async function measureSockets(place: Place) {
  const server = await place.serve(0, undefined, { BAROGRAPH_ROLE: 'ingest' });
  const idle = megabytes(server.pid);
  let welcomed = 0;
  const sockets = Array.from({ length: SOCKETS }, (_, index) => {
    const headers = { authorization: `Bearer ${place.token}` };
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/ingest`, { headers });
    const hello = { type: 'hello', v: PROTOCOL_VERSION, project: 'scaling', runner: { name: `r${index}` } };
    const body = { ...hello, stream: randomUUID(), source: 'sdk', now: Date.now() };
    socket.on('open', () => socket.send(JSON.stringify(body)));
    socket.on('message', (data) => {
      if (JSON.parse(String(data)).type === 'welcome') welcomed += 1;
    });
    return socket;
  });
  await until('the welcome of all runners', () => welcomed === SOCKETS, 120_000);
  const kilobytes = ((megabytes(server.pid) - idle) / SOCKETS) * 1_024;
  await Promise.all(sockets.map((socket) => [socket.terminate(), once(socket, 'close')][1]));
  return { idleMegabytes: idle, socketKilobytes: kilobytes };
}

async function measure() {
  const cluster = await openCluster();
  const place = await openPlace(cluster, 'scaling');
  try {
    const turns = await measureTurns(place);
    const sockets = await measureSockets(place);
    const database = await startBenchDatabase();
    const [size] = await measureSize(database).finally(() => database.stop());
    return { ...turns, ...sockets, bytesPerTurn: size?.value ?? 0 };
  } finally {
    await place.close();
    await cluster.close();
  }
}

type Figures = Awaited<ReturnType<typeof measure>>;

function plan(figures: Figures, sessions: number) {
  const { busyShare, coresPerDatabase, terabytesPerDatabase, viewersPerProcess } = ASSUMED;
  const perSecond = sessions / ASSUMED.secondsPerTurn;
  const ingest = Math.ceil((perSecond * figures.serverMicroseconds) / 1e6 / busyShare);
  const viewers = Math.ceil(sessions / ASSUMED.sessionsPerViewer);
  const web = Math.ceil(viewers / viewersPerProcess);
  const databaseCores = Math.ceil((perSecond * figures.databaseMicroseconds) / 1e6 / busyShare);
  const dailyBytes = perSecond * ASSUMED.hoursPerDay * 3_600 * figures.bytesPerTurn;
  const diskTerabytes = (dailyBytes * ASSUMED.daysKept) / 1e12;
  const shards = Math.ceil(Math.max(databaseCores / coresPerDatabase, diskTerabytes / terabytesPerDatabase));
  const memory =
    ((ingest + web) * figures.idleMegabytes) / 1_024 + (sessions * figures.socketKilobytes) / 1_024 ** 2;
  const cores = ingest + web + databaseCores;
  const dollars = cores * ASSUMED.dollarsPerCore + diskTerabytes * ASSUMED.dollarsPerTerabyte;
  return { perSecond, ingest, viewers, web, databaseCores, shards, diskTerabytes, memory, dollars };
}

const number = (value: number) =>
  value.toLocaleString('en', { maximumSignificantDigits: 2 }).replaceAll(',', ' ');
const size = (terabytes: number) =>
  terabytes < 1 ? `${number(terabytes * 1_000)} GB` : `${number(terabytes)} TB`;

function page(figures: Figures): string {
  const plans = FLEETS.map((sessions) => plan(figures, sessions));
  type Plan = (typeof plans)[number];
  const row = (name: string, cell: (plan: Plan) => string) => `| ${[name, ...plans.map(cell)].join(' | ')} |`;
  const a = ASSUMED;
  return `# Scaling

\`npm run scaling\` wrote this page on ${new Date().toISOString().slice(0, 10)}, on ${cpus().length} processor cores. It measures the first table, and calculates
the second one from it. Nothing in the second table was run at that size.

## Measured

| what | figure |
|---|---|
| processor time of an ingest server per turn | ${number(figures.serverMicroseconds)} µs (${number(1e6 / figures.serverMicroseconds)} turns/s per core) |
| processor time of PostgreSQL per turn | ${number(figures.databaseMicroseconds)} µs (${number(1e6 / figures.databaseMicroseconds)} turns/s per core) |
| disk per turn, with indexes and rollups | ${number(figures.bytesPerTurn)} bytes |
| memory of an idle ingest server | ${number(figures.idleMegabytes)} MB |
| memory per connected runner | ${number(figures.socketKilobytes)} kB |

The load is ${RUNNERS} runners that issue ${number(PER_SECOND)} turns/s. Every seventh call is reported twice. At a lower rate,
batches are smaller, so a turn costs more processor time.

## Calculated

| sessions at the same time | ${FLEETS.map((sessions) => sessions.toLocaleString('en').replaceAll(',', ' ')).join(' | ')} |
|---|---|---|---|
${row('turns per second', ({ perSecond }) => number(perSecond))}
${row('ingest servers, one core each', ({ ingest }) => number(ingest))}
${row('viewers', ({ viewers }) => number(viewers))}
${row('web servers, one core each', ({ web }) => number(web))}
${row('cores for PostgreSQL', ({ databaseCores }) => number(databaseCores))}
${row(`databases of at most ${a.coresPerDatabase} cores and ${a.terabytesPerDatabase} TB`, ({ shards }) => number(shards))}
${row(`disk for ${a.daysKept} days`, ({ diskTerabytes }) => size(diskTerabytes))}
${row('memory of all servers', ({ memory }) => `${number(memory)} GB`)}
${row('hints that each web server receives, at most, per second', ({ perSecond }) => number(perSecond))}
${row('cost per month', ({ dollars }) => `$${number(dollars)}`)}

Assumptions: a session issues a turn every ${a.secondsPerTurn} s and has its own connection. The load lasts ${a.hoursPerDay} hours a day. Processors are
busy for ${a.busyShare * 100} % of the time. One person watches per ${a.sessionsPerViewer} sessions, and a web server accepts ${number(a.viewersPerProcess)} live connections. A core
costs $${a.dollarsPerCore} per month and a terabyte of SSD $${a.dollarsPerTerabyte}. Archives of transcripts, replicas, backups and network traffic are not included.

## What breaks first

- **1 000 sessions:** nothing. One machine with the embedded database is enough.
- **100 000 sessions:** the number of connections. One ingest process holds all runners only with a raised limit of open files;
  several processes behind a proxy divide them. By this calculation, one PostgreSQL stores all turns. Set a retention, because of the disk.
- **10 000 000 sessions:** one PostgreSQL. Its cores and its disk must be divided into several databases, by project: each group
  of servers has its own database, as a separate installation. Barograph does not yet divide one fleet over several databases.
- **The fleet's page, next.** Each web server receives every hint and reads at most 1 000 changed sessions per frame, of the
  10 000 most recently active sessions. Sessions beyond these are in lists and on their own pages, but not live in the fleet.
- **NOTIFY before NATS.** PostgreSQL passes each NOTIFY to every listening server. With more than a few web servers, set
  \`NATS_URL\` ([operations](operations.md#several-servers)).
`;
}

const path = join(projectFolder, 'docs', 'scaling.md');
// The section about Citus is written by hand.
const [, citus] = readFileSync(path, 'utf8').split('\n## Citus\n');
writeFileSync(path, `${page(await measure())}\n## Citus\n${citus}`);
process.stdout.write(`wrote ${path}\n`);
process.exit(0);
