/**
 * Acknowledged turns per second from 100 connections, compared with `COPY` of the same rows into the same table, and the
 * time to acknowledge one turn, compared with one committed INSERT of the same row. Each pair alternates within one run, so
 * that the speed of the machine cancels out.
 */
import type postgres from 'postgres';
import { median } from '../core/forecast/median';
import { ensureMonths, SESSIONS_PER_MONTH } from '../db/partitions';
import type { BenchDatabase } from './lib/bench-database';
import { connect, type Target } from './lib/connect-runner';
import { type Figure, quantile, timed } from './lib/figures';
import { createTurnSource } from './lib/make-turns';
import { ask, startPlayers, targetOf, withServer } from './lib/processes';

const CONNECTIONS = 100;
/** Months between originals and copies, so that the copies go to another partition with the same indexes. */
const MONTHS_AWAY = 12;

/** docs/performance.md names the next limits, and the goals that are not reached yet. */
const WAYS = { websocket: { name: 'WebSocket', least: 0.15 }, post: { name: 'POST' } };
type Way = keyof typeof WAYS;

export async function measureIngest(
  database: BenchDatabase,
  { turnsPerConnection, rounds, acks }: { turnsPerConnection: number; rounds: number; acks: number },
): Promise<Figure[]> {
  const turns = CONNECTIONS * turnsPerConnection;
  const times: { by: Way; ingestMs: number; copyMs: number }[] = [];
  const players = startPlayers();
  const single: Figure[] = [];
  try {
    await withServer(database, 'ingest', async (server) => {
      // The first round of each way warms up both sides and does not count.
      for (let round = 0; round <= 2 * rounds + 1; round += 1) {
        const by = round % 2 === 0 ? 'websocket' : 'post';
        const load = {
          ...targetOf(server),
          by,
          connections: CONNECTIONS,
          turnsPerConnection,
          round,
        } as const;
        const { elapsedMs: ingestMs } = await ask(players, { type: 'load', ...load });
        const copyMs = await copyTurns(database.sql, `session-${round}-%`, turns);
        if (round > 1) times.push({ by, ingestMs, copyMs });
      }
      single.push(...(await measureAcks(database.sql, targetOf(server), acks)));
    });
  } finally {
    players.kill();
  }
  const perSecond = (ms: number[]) => (turns / median(ms)) * 1_000;
  const ways = (['websocket', 'post'] as const).flatMap((way): Figure[] => {
    const own = times.filter(({ by }) => by === way);
    const { name, ...goal } = WAYS[way];
    const value = median(own.map(({ copyMs, ingestMs }) => copyMs / ingestMs));
    return [
      { name: `Rate of acknowledged turns by ${name}, divided by COPY`, value, ...goal },
      { name: `Rate by ${name}`, value: perSecond(own.map(({ ingestMs }) => ingestMs)), unit: 'turns/s' },
    ];
  });
  const copy = perSecond(times.map(({ copyMs }) => copyMs));
  return [...ways, { name: 'Rate of COPY', value: copy, unit: 'turns/s' }, ...single];
}

/** Send one turn at a time. After each acknowledgement, insert the stored row once more in its own transaction. */
async function measureAcks(sql: postgres.Sql, target: Target, acks: number): Promise<Figure[]> {
  const source = createTurnSource('acknowledged', 1, Date.now() - 3_600_000);
  const runner = await connect(target, 'bench', 'one-by-one');
  const answer = async () => {
    await runner.send(JSON.stringify(source.next(1)));
    await runner.settled();
  };
  await answer();
  const selected = await copiedColumns(sql, 'acknowledged');
  const [session] = await sql<{ id: number }[]>`select id from sessions where key = 'acknowledged'`;
  const insert = () =>
    sql.unsafe(
      `insert into turns select ${selected} from turns where session_id = $1 order by position desc limit 1`,
      [session?.id ?? 0],
      { prepare: true },
    );
  const acked: number[] = [];
  const inserted: number[] = [];
  for (let i = 0; i < acks; i += 1) {
    acked.push(await timed(answer));
    inserted.push(await timed(insert));
  }
  runner.close();
  const compare = (share: number, most: number): Figure[] => {
    const [ack, one] = [quantile(acked, share), quantile(inserted, share)];
    const name = `Time to acknowledge one turn, p${share * 100}`;
    return [
      { name: `${name}, divided by one committed INSERT`, value: ack / one, most },
      { name, value: ack, unit: 'ms' },
    ];
  };
  return [...compare(0.5, 2), ...compare(0.99, 4)];
}

/**
 * Create the partitions for copies of these sessions. `like`: pattern of their keys.
 * @returns the columns of a copied turn
 */
async function copiedColumns(sql: postgres.Sql, like: string): Promise<string> {
  const months = await sql<{ month: number }[]>`
    select distinct id / ${SESSIONS_PER_MONTH}::bigint as month from sessions where key like ${like}`;
  await ensureMonths(
    sql,
    months.map(({ month }) => month + MONTHS_AWAY),
  );
  const columns = await sql<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = 'turns'::regclass and attnum > 0 and not attisdropped order by attnum`;
  return columns
    .map(({ name }) => (name === 'session_id' ? `session_id + ${MONTHS_AWAY * SESSIONS_PER_MONTH}` : name))
    .join(', ');
}

/**
 * Copy the stored turns of sessions into the same table again, in one COPY. `like`: pattern of their keys.
 * @returns duration in milliseconds, without reading the turns
 */
async function copyTurns(sql: postgres.Sql, sessions: string, expected: number): Promise<number> {
  const selected = await copiedColumns(sql, sessions);
  // A file on the server is faster, and the driver's COPY stream can stall on a full socket.
  const [folder] = await sql<{ path: string }[]>`select current_setting('data_directory') as path`;
  const file = `${folder?.path}/bench-copy`;
  const { count } = await sql.unsafe(
    `copy (select ${selected} from turns where session_id in
      (select id from sessions where key like '${sessions}') order by server_time, session_id, position)
      to '${file}'`,
  );
  if (count !== expected) throw new Error(`${count} of ${expected} turns are stored`);
  return await timed(() => sql.unsafe(`copy turns from '${file}'`));
}
