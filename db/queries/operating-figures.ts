import type postgres from 'postgres';

export interface OperatingFigures {
  databaseBytes: number;
  /** Waiting work, by background task. Counted up to `MOST`. */
  backlog: Record<'recompute' | 'history' | 'transcripts' | 'alert_messages', number>;
  /** Messages of alerts that were given up within the last hour. */
  deadMessages: number;
  damagedTranscripts: number;
  /** Time of the newest backup, milliseconds; null: none. */
  lastBackupAt: number | null;
}

/** Counts stop here, so that a scrape stays cheap. */
const MOST = 100_000;

export async function loadOperatingFigures(sql: postgres.ISql): Promise<OperatingFigures> {
  const count = (rows: postgres.PendingQuery<postgres.Row[]>) =>
    sql`(select count(*) from (${rows} limit ${MOST}) waiting)`;
  const [row] = await sql<(Omit<OperatingFigures, 'backlog'> & OperatingFigures['backlog'])[]>`
    select pg_database_size(current_database()) as "databaseBytes",
      ${count(sql`select from sessions where recompute_from is not null`)} as recompute,
      ${count(sql`select from history_changes`)} as history,
      ${count(sql`select from transcript_contents where state = 'waiting'`)} as transcripts,
      ${count(sql`select from alert_outbox where delivery_id is null`)}
        + ${count(sql`select from alert_deliveries where state = 'waiting'`)} as alert_messages,
      ${count(sql`select from alert_deliveries where state = 'dead' and created_at > now() - interval '1 hour'`)}
        as "deadMessages",
      ${count(sql`select from transcripts where state = 'damaged'`)} as "damagedTranscripts",
      (select extract(epoch from max(at)) * 1000 from audit_log where action = 'backup_made')::float8
        as "lastBackupAt"`;
  if (!row) throw new Error('the database returned no figures');
  const { recompute, history, transcripts, alert_messages, ...figures } = row;
  return { ...figures, backlog: { recompute, history, transcripts, alert_messages } };
}
