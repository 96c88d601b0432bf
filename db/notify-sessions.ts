import type postgres from 'postgres';
import type { TouchedSession } from './ingest/types';

/** Channel for notifications between server processes. Payload: a JSON array of [publicId, version]. */
export const SESSIONS_CHANNEL = 'barograph_sessions';
/** A payload must stay below 8 000 bytes; a pair takes at most 60. */
const PAIRS_PER_PAYLOAD = 120;

/** Notify the other server processes of the changed sessions when the transaction commits. */
export async function notifySessions(
  tx: postgres.TransactionSql,
  touched: readonly TouchedSession[],
): Promise<void> {
  const payloads: string[] = [];
  for (let i = 0; i < touched.length; i += PAIRS_PER_PAYLOAD) {
    const part = touched.slice(i, i + PAIRS_PER_PAYLOAD);
    payloads.push(JSON.stringify(part.map(({ publicId, version }) => [publicId, version])));
  }
  if (payloads.length === 0) return;
  await tx`select pg_notify(${SESSIONS_CHANNEL}, payload) from unnest(${payloads}::text[]) as payload`;
}
