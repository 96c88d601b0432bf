import type postgres from 'postgres';
import { ensureMonths, SESSIONS_PER_MONTH } from '../../db/partitions';

/** How far the copies lie from the originals: a partition of their own, with the same indexes. */
const MONTHS_AWAY = 12;

/**
 * Copies the stored turns of sessions (a `like` pattern of their keys) into the same table once more, in one COPY
 * and one transaction, and says how long that took. Reading them out beforehand is not counted.
 */
export async function measureCopy(
  sql: postgres.Sql,
  sessions: string,
): Promise<{ rows: number; elapsedMs: number }> {
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
  // Files on the server's side: the driver's COPY stream can stall on a full socket, and a file is faster still.
  const [folder] = await sql<{ path: string }[]>`select current_setting('data_directory') as path`;
  const file = `${folder?.path}/bench-copy`;
  await sql.unsafe(
    `copy (select ${selected.join(', ')} from turns where session_id in
      (select id from sessions where key like '${sessions}') order by server_time, session_id, position)
      to '${file}'`,
  );
  const startedAt = performance.now();
  const { count } = await sql.unsafe(`copy turns from '${file}'`);
  return { rows: count, elapsedMs: performance.now() - startedAt };
}
