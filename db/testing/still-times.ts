import { connect } from '../client';
import { findRunningEmbedded } from '../embedded/start-embedded';
import { setStillAlerts } from './still-alerts';

/**
 * Replace times from the database's clock by times of the story, and add alerts, so that screenshots never change.
 * @param dataFolder of a running server with its own database
 * @param nowMs the moment of the story, milliseconds
 * @throws an Error if no database runs in the folder
 */
export async function setStillTimes(dataFolder: string, nowMs: number): Promise<void> {
  const url = findRunningEmbedded(dataFolder);
  if (url === null) throw new Error(`No database runs in ${dataFolder}.`);
  const sql = connect(url, 1, { applicationName: 'barograph-still-times' });
  const now = new Date(nowMs);
  try {
    await sql`
      update tokens set created_at = ${now}::timestamptz - interval '9 days',
        start = 'bg_' || substr(md5(name), 1, 6),
        last_used_at = case when 'admin' = any(scopes) then null else ${now}::timestamptz - interval '4 minutes' end`;
    await sql`
      update transcripts set created_at = at, changed_at = at,
        verified_at = case when verified_at is null then null else at + interval '2 seconds' end`;
    await sql`update audit_log set at = ${now}::timestamptz - make_interval(mins => (100 - id)::int)`;
    await setStillAlerts(sql, now);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
