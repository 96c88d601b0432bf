/**
 * A streaming replica (DATABASE_READ_URL) for reads that may be a little old. Owns its client and a timer.
 *
 * The delay is measured by positions in the log of the primary, because the time of the last replayed commit also gets
 * older while nothing is written.
 */
import { setTimeout as rest } from 'node:timers/promises';
import type { Logger } from 'pino';
import type postgres from 'postgres';
import { connect } from '../db/client';
import { judgeFault } from '../db/judge-fault';

interface ReplicaOptions {
  url: string;
  connections: number;
  statementSeconds: number;
  primary: postgres.Sql;
  /** A replica of another database is not used. */
  serverId: string;
  log: Logger;
  /** Beyond this delay, milliseconds, reads use the primary. */
  maxBehindMs?: number;
}

export type Replica = ReturnType<typeof startReplica>;

const SAMPLE_MS = 1_000;
/** Without a measurement for this time, the replica counts as lost. */
const SAMPLE_LASTS_MS = 5_000;
/** A measurement has the precision of a second, so a smaller delay is not kept. */
const MAX_SAMPLES = 1_000;
const CLOSE_TIMEOUT_S = 1;

export function startReplica(options: ReplicaOptions) {
  const { primary, serverId, log, maxBehindMs = 30_000 } = options;
  const { url, connections, statementSeconds } = options;
  const sql = connect(url, connections, { applicationName: 'barograph-replica', statementSeconds });
  const stopping = new AbortController();
  /** Positions of the primary that the replica had not replayed. */
  let awaited: { at: number; position: bigint }[] = [];
  let measured: { at: number; behindMs: number } | null = null;
  let state = '';

  async function measure(): Promise<number> {
    const at = Date.now();
    const [written] = await primary<{ position: string }[]>`select pg_current_wal_lsn()::text as position`;
    const [replica] = await sql<{ position: string | null; server: string }[]>`
      select pg_last_wal_replay_lsn()::text as position, id as server from server_identity
      where pg_is_in_recovery()`;
    if (!replica?.position || replica.server !== serverId)
      throw new Error('it is no replica of this database');
    const replayed = parsePosition(replica.position);
    if (written && awaited.length < MAX_SAMPLES)
      awaited.push({ at, position: parsePosition(written.position) });
    awaited = awaited.filter(({ position }) => position > replayed);
    return at - (awaited[0]?.at ?? at);
  }

  function tell(next: string, words: string): void {
    if (next !== state) log[next === 'used' ? 'info' : 'warn'](words);
    state = next;
  }

  async function keepMeasuring(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        measured = { behindMs: await measure(), at: Date.now() };
        if (measured.behindMs > maxBehindMs)
          tell('late', `the replica is ${measured.behindMs} ms behind; the primary is read instead`);
        else tell('used', 'history is read from the replica');
      } catch (error) {
        measured = null;
        if (!stopping.signal.aborted)
          tell('lost', `the replica is not used: ${error instanceof Error ? error.message : error}`);
      }
      await rest(SAMPLE_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  }
  const measuring = keepMeasuring();

  /** Milliseconds, or null while the replica cannot be used. */
  function behindMs(): number | null {
    if (measured === null || Date.now() - measured.at > SAMPLE_LASTS_MS) return null;
    return measured.behindMs > maxBehindMs ? null : measured.behindMs;
  }

  /** Rejects when the replica stops answering. */
  async function untilLost(signal: AbortSignal): Promise<never> {
    while (behindMs() !== null) await rest(SAMPLE_MS, undefined, { signal, ref: false });
    throw Object.assign(new Error('The replica does not respond.'), { code: 'ETIMEDOUT' });
  }

  return {
    behindMs,
    /** Null if the replica cannot be used. @throws the errors of `work`, apart from those of a lost replica */
    async read<T>(work: (sql: postgres.Sql) => Promise<T>): Promise<{ value: T; behindMs: number } | null> {
      const behind = behindMs();
      if (behind === null) return null;
      const done = new AbortController();
      try {
        const value = await Promise.race([work(sql), untilLost(done.signal)]);
        return { value, behindMs: behind };
      } catch (error) {
        // A standby also ends a query that needs rows which the primary has removed.
        if (['unavailable', 'transient'].includes(judgeFault(error))) return null;
        throw error;
      } finally {
        done.abort();
      }
    },
    async close(): Promise<void> {
      stopping.abort();
      await sql.end({ timeout: CLOSE_TIMEOUT_S });
      await measuring;
    },
  };
}

/** Bytes since the start of the log, from PostgreSQL's form `16/B374D848`. */
function parsePosition(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}
