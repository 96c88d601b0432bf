/**
 * The metrics of this process, in one registry. Names and labels are fixed lists, so that no metric contains a title, a
 * key or a name of a project.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export const registry = new Registry();
const registers = [registry];

/** Start to observe the process itself: processor, memory, event loop, garbage collection. */
export function observeProcess(version: string, role: string): void {
  collectDefaultMetrics({ register: registry });
  const info = {
    name: 'barograph_build_info',
    help: 'Version and role of this process; always 1.',
    registers,
  };
  new Gauge({ ...info, labelNames: ['version', 'role'] }).set({ version, role }, 1);
}

export const itemCount = new Counter({
  name: 'barograph_ingest_items_total',
  help: 'Items from runners, by outcome: stored, duplicate, amended, unchanged or refused.',
  labelNames: ['outcome'],
  registers,
});

export const commitSeconds = new Histogram({
  name: 'barograph_ingest_commit_seconds',
  help: 'Time of a transaction that stores items, with its retries.',
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  registers,
});

export const commitFailures = new Counter({
  name: 'barograph_ingest_commit_failures_total',
  help: 'Transactions that stored nothing, by reason: disk_full, out_of_memory, limit_exceeded, unavailable or fault.',
  labelNames: ['reason'],
  registers,
});

export const waitingBytes = new Gauge({
  name: 'barograph_ingest_waiting_bytes',
  help: 'Bytes of received items that are not stored yet.',
  registers,
});

export const socketCount = new Gauge({
  name: 'barograph_sockets',
  help: 'Open WebSockets, by kind: runner or browser.',
  labelNames: ['kind'],
  registers,
});

export const resyncCount = new Counter({
  name: 'barograph_live_resyncs_total',
  help: 'Feeds that waited for a slow browser, which then gets a new snapshot.',
  registers,
});

export const requestSeconds = new Histogram({
  name: 'barograph_http_request_seconds',
  help: 'Time to the end of an HTTP response, by route and class of the status.',
  labelNames: ['route', 'status'],
  buckets: [0.01, 0.05, 0.25, 1, 5, 30],
  registers,
});

export const taskFailures = new Counter({
  name: 'barograph_task_failures_total',
  help: 'Failed rounds of background tasks, by task.',
  labelNames: ['task'],
  registers,
});

// Set at each scrape; NaN while the database does not respond.
function gauge(name: string, help: string): Gauge {
  const made = new Gauge({ name: `barograph_${name}`, help, registers });
  made.set(Number.NaN);
  return made;
}

export const databaseUp = gauge('database_up', 'Whether the database answers within two seconds: 1 or 0.');
export const ready = gauge('ready', 'Whether this process stores items, as /readyz: 1 or 0.');
export const replicaDelay = gauge(
  'replica_delay_seconds',
  'How far the replica is behind (DATABASE_READ_URL); NaN without a replica, or while it is not used.',
);
export const archiveStoreUp = gauge(
  'archive_store_up',
  'Whether the archive store answers within a second: 1 or 0; NaN without one (BAROGRAPH_ARCHIVE_STORE).',
);
export const databaseBytes = gauge('database_bytes', 'Size of the database on disk.');
export const freeBytes = gauge('data_folder_free_bytes', 'Free bytes on the disk of the embedded database.');
export const deadMessages = gauge(
  'alert_messages_dead',
  'Messages of alerts that were dropped in the last hour.',
);
export const damagedTranscripts = gauge(
  'transcripts_damaged',
  'Stored transcripts with wrong or missing bytes.',
);
export const lastBackup = gauge(
  'last_backup_timestamp_seconds',
  'Time of the newest backup by `barograph backup`, seconds since 1970; 0: none.',
);
export const backlog = new Gauge({
  name: 'barograph_task_backlog',
  help: 'Waiting work of background tasks, at most 100000, by task.',
  labelNames: ['task'],
  registers,
});
