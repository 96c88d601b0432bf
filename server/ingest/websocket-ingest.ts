/**
 * The WebSocket side of ingest. It owns the sockets: their size limit, pings, the time a hello may take, and
 * their orderly end.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { CLOSE, type CloseCode } from '../../core/protocol/close-codes';
import type { ProtocolLimits } from '../../core/protocol/limits';
import type { ErrorMessage, ServerMessage } from '../../core/protocol/messages';
import { hasTokenInUrl, TOKEN_IN_URL } from '../auth/authorize';
import type { RunnerSession, RunnerSessionTransport } from './runner-session';

export interface WebSocketIngestOptions {
  limits: ProtocolLimits;
  log: Logger;
  createSession(request: IncomingMessage, transport: RunnerSessionTransport): RunnerSession;
}

export interface WebSocketIngest {
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, url: URL): void;
  /** Reads nothing more. */
  stopReading(): void;
  /** Closes all sockets with 1001 and resolves when they are gone. */
  close(): Promise<void>;
}

/** Acks that a runner does not read: beyond this the line is cut, and the runner comes again. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
const CLOSE_GRACE_MS = 2_000;
/** A close frame holds at most this many bytes of reason. */
const MAX_CLOSE_REASON_BYTES = 123;

interface Connection {
  session: RunnerSession;
  /** Pings sent since the last sign of life. */
  missed: number;
  paused: boolean;
}

export function createWebSocketIngest(options: WebSocketIngestOptions): WebSocketIngest {
  const { limits, log } = options;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.maxFrameBytes,
  });
  const connections = new Map<WebSocket, Connection>();
  let stopped = false;

  const pinger = setInterval(() => {
    for (const [socket, connection] of connections) {
      if (connection.missed >= 2 && !connection.paused) socket.terminate();
      else ping(socket, connection);
    }
  }, limits.pingIntervalMs);
  pinger.unref();

  function ping(socket: WebSocket, connection: Connection): void {
    connection.missed += 1;
    if (socket.readyState === WebSocket.OPEN) socket.ping();
    void connection.session.checkToken();
  }

  function accept(socket: WebSocket, request: IncomingMessage, url: URL): void {
    // A peer that breaks the WebSocket protocol or sends too much: the library closes with the fitting code.
    socket.on('error', (error) => log.debug({ reason: error.message }, 'a runner’s socket failed'));
    if (hasTokenInUrl(url)) {
      end(socket, CLOSE.unauthorized, { type: 'error', code: 'token_in_url', reason: TOKEN_IN_URL });
      return;
    }
    const session = options.createSession(request, {
      send: (message) => send(socket, message),
      close: (code, error) => end(socket, code, error),
      pause: () => setPaused(true),
      resume: () => setPaused(false),
    });
    const connection: Connection = { session, missed: 0, paused: false };
    connections.set(socket, connection);
    function setPaused(on: boolean): void {
      connection.paused = on;
      if (stopped || socket.readyState !== WebSocket.OPEN) return;
      if (on) socket.pause();
      else socket.resume();
      connection.missed = 0;
    }
    const helloTimer = setTimeout(() => session.expectHello(), limits.helloTimeoutMs);
    helloTimer.unref();
    socket.on('pong', () => {
      connection.missed = 0;
    });
    socket.on('message', (data, isBinary) => {
      connection.missed = 0;
      if (stopped) return;
      if (isBinary) end(socket, CLOSE.badMessage, badMessage('A frame is text, not binary.'));
      else void session.receive(textOf(data));
    });
    socket.on('close', () => {
      clearTimeout(helloTimer);
      session.end();
      connections.delete(socket);
    });
  }

  function send(socket: WebSocket, message: ServerMessage): void {
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send(JSON.stringify(message));
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.terminate();
  }

  function end(socket: WebSocket, code: CloseCode, error: ErrorMessage): void {
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send(JSON.stringify(error));
    // The other side's close must be read, though its items no longer are.
    socket.resume();
    socket.close(code, shorten(error.reason));
    // The library waits half a minute for the other side's close; a hostile one would hold the socket open.
    setTimeout(() => socket.terminate(), CLOSE_GRACE_MS).unref();
  }

  return {
    handleUpgrade(request, socket, head, url) {
      if (stopped) {
        socket.destroy();
        return;
      }
      server.handleUpgrade(request, socket, head, (opened) => accept(opened, request, url));
    },
    stopReading() {
      stopped = true;
      for (const socket of connections.keys()) socket.pause();
    },
    async close() {
      stopped = true;
      clearInterval(pinger);
      const gone = [...connections.keys()].map(
        (socket) =>
          new Promise<void>((resolve) => {
            socket.once('close', () => resolve());
            end(socket, CLOSE.goingAway, { type: 'error', code: 'going_away', reason: 'The server stops.' });
          }),
      );
      await Promise.all(gone);
      server.close();
    },
  };
}

function textOf(data: RawData): string {
  // One copy: the library hands text over as a buffer that it has checked to be UTF-8.
  return Array.isArray(data)
    ? Buffer.concat(data).toString()
    : Buffer.isBuffer(data)
      ? data.toString()
      : Buffer.from(data).toString();
}

function badMessage(reason: string): ErrorMessage {
  return { type: 'error', code: 'bad_message', reason };
}

function shorten(reason: string): string {
  if (Buffer.byteLength(reason) <= MAX_CLOSE_REASON_BYTES) return reason;
  // Three bytes for the ellipsis; a character that was cut in two becomes one replacement mark, and goes.
  const cut = Buffer.from(reason).subarray(0, MAX_CLOSE_REASON_BYTES - 3);
  return `${cut.toString().replace(/\ufffd+$/, '')}…`;
}
