/** The WebSockets of one endpoint. Owns their pings and their graceful end. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import { socketCount } from '../metrics';
import { refuseUpgrade } from './answers';

const CLOSE_GRACE_MS = 2_000;
const MAX_MISSED = 2;

interface SocketsOptions {
  /** Label in the metrics. */
  kind: 'runner' | 'browser';
  maxPayload: number;
  pingIntervalMs: number;
  log: Logger;
  onPing?(socket: WebSocket): void;
}

export function createSockets({ kind, maxPayload, pingIntervalMs, log, onPing }: SocketsOptions) {
  // Messages are not compressed, because the server is bound to this machine, and tunnels compress.
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    perMessageDeflate: false,
    maxPayload,
  });
  // The library's own answer is a text.
  server.on('wsClientError', ({ message }, socket, { method, url }) => {
    if (method === 'GET') refuseUpgrade(socket, 400, 'bad_handshake', `${message}.`, url);
    else refuseUpgrade(socket, 405, 'method_not_allowed', `${message}.`, url);
  });
  const missed = new WeakMap<WebSocket, number>();
  const pinger = setInterval(() => {
    for (const socket of server.clients) {
      const count = missed.get(socket) ?? 0;
      if (count >= MAX_MISSED && !socket.isPaused) {
        socket.terminate();
        continue;
      }
      missed.set(socket, count + 1);
      if (socket.readyState === socket.OPEN) socket.ping();
      onPing?.(socket);
    }
  }, pingIntervalMs);
  pinger.unref();

  return {
    clients: server.clients,
    accept(req: IncomingMessage, socket: Duplex, head: Buffer, serve: (socket: WebSocket) => void): void {
      server.handleUpgrade(req, socket, head, (opened) => {
        // The library closes the socket of a peer that breaks the protocol or sends too much.
        opened.on('error', (error) => log.debug({ reason: error.message }, 'a socket failed'));
        socketCount.inc({ kind });
        opened.once('close', () => socketCount.dec({ kind }));
        opened.on('pong', () => missed.delete(opened));
        serve(opened);
      });
    },
    /** Record that the peer is alive. */
    sign: (socket: WebSocket) => void missed.delete(socket),
    /** End all sockets by `end`, then the remaining sockets by force. Resolve when all are closed. */
    async close(end: (socket: WebSocket) => void): Promise<void> {
      clearInterval(pinger);
      const sockets = [...server.clients];
      const gone = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
      for (const socket of sockets) end(socket);
      const force = setTimeout(() => {
        for (const socket of sockets) socket.terminate();
      }, CLOSE_GRACE_MS);
      await Promise.all(gone);
      clearTimeout(force);
      server.close();
    },
  };
}
