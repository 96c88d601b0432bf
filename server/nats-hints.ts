/**
 * Hints between servers over NATS (NATS_URL). Owns the connection. While it is lost, this server sends hints by NOTIFY.
 * LISTEN stays in use for them, and for commands that change data without NATS.
 */
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import type postgres from 'postgres';
import { publishHints } from '../db/hints';

interface Listener {
  onMessage(payload: string): void;
  /** Hints may have been missed. */
  onListen(): void;
}

const RECONNECT_MS = 1_000;
/** Two unanswered pings end a connection. */
const PING_MS = 5_000;

/**
 * Carry the hints of this client over NATS while it is connected.
 * @param servers `nats://` or `tls://` addresses; user and password, or a token, are in the first one
 * @param prefix of the subjects; servers that share a database have the same one
 */
export async function startNatsHints(
  sql: postgres.Sql,
  { servers, prefix, log }: { servers: readonly URL[]; prefix: string; log: Logger },
) {
  // Loaded only when it is needed, because it would slow down every start.
  const { connect } = await import('@nats-io/transport-node');
  const listeners = new Map<string, Set<Listener>>();
  let connection: NatsConnection | null = null;
  let isConnected = false;
  let isClosed = false;

  publishHints(sql, (channel, payload) => {
    if (isConnected) connection?.publish(`${prefix}.${channel}`, payload);
    return isConnected;
  });
  const listenToPostgres = sql.listen;
  sql.listen = async (channel, onMessage, onListen = () => undefined) => {
    const listener = { onMessage, onListen };
    const ofChannel = listeners.get(channel) ?? new Set();
    listeners.set(channel, ofChannel.add(listener));
    const listening = await listenToPostgres(channel, onMessage, onListen);
    return {
      ...listening,
      unlisten() {
        ofChannel.delete(listener);
        return listening.unlisten();
      },
    };
  };

  function changeState(connected: boolean): void {
    if (isClosed || connected === isConnected) return;
    isConnected = connected;
    if (!connected) {
      log.warn('NATS is not connected; hints are sent by NOTIFY');
      return;
    }
    log.info('hints are sent over NATS');
    for (const each of [...listeners.values()].flatMap((ofChannel) => [...ofChannel])) each.onListen();
  }

  /** Connected from the answer after the subscription on, because NATS drops earlier hints. */
  async function confirm(opened: NatsConnection): Promise<void> {
    const lost = await opened.flush().catch((error: Error) => error);
    if (!lost) changeState(true);
  }

  async function follow(opened: NatsConnection): Promise<void> {
    connection = opened;
    if (isClosed) return opened.close();
    opened.subscribe(`${prefix}.*`, {
      callback(error, message) {
        if (error) return log.warn({ reason: error.message }, 'NATS refuses the subscription to hints');
        const channel = message.subject.slice(prefix.length + 1);
        for (const { onMessage } of listeners.get(channel) ?? []) onMessage(message.string());
      },
    });
    await confirm(opened);
    for await (const { type } of opened.status()) {
      if (type === 'disconnect') changeState(false);
      else if (type === 'reconnect') await confirm(opened);
    }
  }

  const [first] = servers;
  const user = decodeURIComponent(first?.username ?? '');
  const pass = decodeURIComponent(first?.password ?? '');
  const opening = connect({
    servers: servers.map(({ host }) => host),
    name: 'barograph',
    ...(pass ? { user, pass } : user && { token: user }),
    ...(first?.protocol === 'tls:' && { tls: {} }),
    waitOnFirstConnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    pingInterval: PING_MS,
    ignoreAuthErrorAbort: true,
  });
  opening.then(follow).catch((error: Error) => {
    log.error({ reason: error.message }, 'NATS refuses the connection; hints are sent by NOTIFY');
  });
  return {
    close(): void {
      isClosed = true;
      isConnected = false;
      connection?.close().catch(() => undefined);
    },
  };
}
