import { connect } from '../client';
import { findRunningEmbedded } from '../embedded/start-embedded';

const TABLES = ['transcripts', 'transcript_chunks', 'audit_log'];

/**
 * Lets nothing of transcripts be written any more, as a disk without room does: SQLSTATE 53100.
 * @param dataFolder of a running server with its own database
 * @returns makes room again
 * @throws Error where no database runs there
 */
export async function refuseTranscripts(dataFolder: string): Promise<() => Promise<void>> {
  const url = findRunningEmbedded(dataFolder);
  if (url === null) throw new Error(`No database runs in ${dataFolder}.`);
  const run = async (statements: readonly string[]) => {
    const sql = connect(url, 1, { applicationName: 'barograph-refuse-transcripts' });
    try {
      for (const statement of statements) await sql.unsafe(statement);
    } finally {
      await sql.end({ timeout: 5 });
    }
  };
  await run([
    `create or replace function no_room() returns trigger language plpgsql as $$
      begin raise exception 'no space left' using errcode = '53100'; end $$`,
    ...TABLES.map(
      (table) => `create trigger no_room before insert or update on ${table} execute function no_room()`,
    ),
  ]);
  return () => run([...TABLES.map((table) => `drop trigger no_room on ${table}`), 'drop function no_room()']);
}
