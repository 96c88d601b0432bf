import type postgres from 'postgres';
import { existing } from './session-row';

/** When the newest turn of any session came, ISO 8601; null: there is none. */
export async function newestTurnAt(sql: postgres.ISql): Promise<string | null> {
  const [row] = await sql<{ at: Date | null }[]>`
    select max(s.last_turn_at) as at from sessions s where ${existing(sql)}`;
  return row?.at?.toISOString() ?? null;
}
