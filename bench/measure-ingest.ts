/**
 * Acknowledged turns per second from 100 WebSocket connections, compared with `COPY` of the same rows into the same
 * table. Both alternate within one run, so that the speed of the machine cancels out.
 */
import type postgres from 'postgres';
import { median } from '../core/forecast/median';
import { ensureMonths, SESSIONS_PER_MONTH } from '../db/partitions';
import type { BenchDatabase } from './lib/bench-database';
import { type Figure, timed } from './lib/figures';
import { ask, startPlayers, targetOf, withServer } from './lib/processes';

const CONNECTIONS = 100;
/** Months between originals and copies, so that the copies go to another partition with the same indexes. */
const MONTHS_AWAY = 12;

export async function measureIngest(
  database: BenchDatabase,
  { turnsPerConnection, rounds }: { turnsPerConnection: number; rounds: number },
): Promise<Figure[]> {
  const turns = CONNECTIONS * turnsPerConnection;
  const times: { ingestMs: number; copyMs: number }[] = [];
  const players = startPlayers();
  try {
    await withServer(database, 'ingest', async (server) => {
      // The first round warms up both sides and does not count.
      for (let round = 0; round <= rounds; round += 1) {
        const load = { ...targetOf(server), connections: CONNECTIONS, turnsPerConnection, round };
        const { elapsedMs: ingestMs } = await ask(players, { type: 'load', ...load });
        const copyMs = await copyTurns(database.sql, `session-${round}-%`, turns);
        if (round > 0) times.push({ ingestMs, copyMs });
      }
    });
  } finally {
    players.kill();
  }
  const perSecond = (ms: number[]) => (turns / median(ms)) * 1_000;
  const ratio = median(times.map(({ ingestMs, copyMs }) => copyMs / ingestMs));
  return [
    { name: 'Rate of acknowledged turns over WebSocket, divided by COPY', value: ratio, least: 0.15 },
    { name: 'Rate over WebSocket', value: perSecond(times.map(({ ingestMs }) => ingestMs)), unit: 'turns/s' },
    { name: 'Rate of COPY', value: perSecond(times.map(({ copyMs }) => copyMs)), unit: 'turns/s' },
  ];
}

/**
 * Copy the stored turns of sessions into the same table again, in one COPY. `like`: pattern of their keys.
 * @returns duration in milliseconds, without reading the turns
 */
async function copyTurns(sql: postgres.Sql, sessions: string, expected: number): Promise<number> {
  const months = await sql<{ month: number }[]>`
    select distinct id / ${SESSIONS_PER_MONTH}::bigint as month from sessions where key like ${sessions}`;
  await ensureMonths(
    sql,
    months.map(({ month }) => month + MONTHS_AWAY),
  );
  const columns = await sql<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = 'turns'::regclass and attnum > 0 and not attisdropped order by attnum`;
  const selected = columns.map(({ name }) =>
    name === 'session_id' ? `session_id + ${MONTHS_AWAY * SESSIONS_PER_MONTH}` : name,
  );
  // A file on the server is faster, and the driver's COPY stream can stall on a full socket.
  const [folder] = await sql<{ path: string }[]>`select current_setting('data_directory') as path`;
  const file = `${folder?.path}/bench-copy`;
  const { count } = await sql.unsafe(
    `copy (select ${selected.join(', ')} from turns where session_id in
      (select id from sessions where key like '${sessions}') order by server_time, session_id, position)
      to '${file}'`,
  );
  if (count !== expected) throw new Error(`${count} of ${expected} turns are stored`);
  return await timed(() => sql.unsafe(`copy turns from '${file}'`));
}
