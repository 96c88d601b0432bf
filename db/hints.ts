/**
 * Hints between server processes: which sessions changed, and that alerts changed.
 *
 * A hint is sent after the commit. A NOTIFY inside a transaction would hold one lock of the whole cluster until the WAL
 * is flushed, so that the commits of all servers would wait for each other. Hints may be lost: receivers also read at
 * intervals. While one NOTIFY is under way, further hints are merged into the next one.
 */
import type postgres from 'postgres';

/** Payload: a JSON array of [publicId, version]. */
export const SESSIONS_CHANNEL = 'barograph_sessions';
/** Alerts or messages changed. The payload is empty. */
export const ALERTS_CHANNEL = 'barograph_alerts';

export interface Hints {
  /** Version by public id. */
  sessions: Map<string, number>;
  alerts: boolean;
}

/** Carries hints instead of NOTIFY. Returns false while it is not connected. */
export type PublishHint = (channel: string, payload: string) => boolean;

interface Outbox {
  hints: Hints;
  isSending: boolean;
  publish: PublishHint;
}

/** Properties of a client, and of a transaction: a symbol also passes through the wrappers of both. */
const OUTBOX = Symbol('outbox of hints');
export const COLLECTED = Symbol('hints of a transaction');
type Client = postgres.ISql & { [OUTBOX]?: Outbox; [COLLECTED]?: Hints };

/** A payload must stay below 8 000 bytes; a pair takes at most 60. */
const PAIRS_PER_PAYLOAD = 120;

export const noHints = (): Hints => ({ sessions: new Map(), alerts: false });

function outboxOf(sql: Client): Outbox {
  sql[OUTBOX] ??= { hints: noHints(), isSending: false, publish: () => false };
  return sql[OUTBOX];
}

/** Send the hints of this client over `publish` while that is connected. */
export function publishHints(sql: postgres.Sql, publish: PublishHint): void {
  outboxOf(sql).publish = publish;
}

/** Send hints after the commit of the transaction; without a transaction of `transact`, at once. */
export function hint(sql: postgres.ISql, hints: Hints): void {
  const collected = (sql as Client)[COLLECTED];
  const outbox = collected ? null : outboxOf(sql);
  const into = collected ?? outbox?.hints ?? noHints();
  for (const [id, version] of hints.sessions) {
    into.sessions.set(id, Math.max(version, into.sessions.get(id) ?? version));
  }
  into.alerts ||= hints.alerts;
  if (outbox && !outbox.isSending) void send(sql, outbox);
}

async function send(sql: postgres.ISql, outbox: Outbox): Promise<void> {
  outbox.isSending = true;
  try {
    for (let messages = take(outbox); messages.length > 0; messages = take(outbox)) {
      const unsent = messages.filter(([channel, payload]) => !outbox.publish(channel, payload));
      if (unsent.length === 0) continue;
      const [channels, payloads] = [unsent.map(([channel]) => channel), unsent.map(([, payload]) => payload)];
      await sql`
        select pg_notify(channel, payload)
        from unnest(${channels}::text[], ${payloads}::text[]) as message (channel, payload)`;
    }
  } catch {
    // The receivers find the changes at their next regular read.
  } finally {
    outbox.isSending = false;
  }
}

function take(outbox: Outbox): [channel: string, payload: string][] {
  const { sessions, alerts } = outbox.hints;
  outbox.hints = noHints();
  const pairs = [...sessions];
  const messages: [string, string][] = alerts ? [[ALERTS_CHANNEL, '']] : [];
  for (let i = 0; i < pairs.length; i += PAIRS_PER_PAYLOAD) {
    messages.push([SESSIONS_CHANNEL, JSON.stringify(pairs.slice(i, i + PAIRS_PER_PAYLOAD))]);
  }
  return messages;
}
