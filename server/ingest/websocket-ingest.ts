/**
 * The WebSocket side of ingest: the time a hello may take, when a socket pauses, and how it is closed.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { type RawData, WebSocket } from 'ws';
import { CLOSE, type CloseCode } from '../../core/protocol/close-codes';
import type { ProtocolLimits } from '../../core/protocol/limits';
import type { ErrorMessage, ServerMessage } from '../../core/protocol/messages';
import { hasTokenInUrl, TOKEN_IN_URL } from '../auth/authorize';
import { createSockets } from '../http/sockets';
import type { RunnerSession, RunnerSessionTransport } from './runner-session';

export interface WebSocketIngestOptions {
  limits: ProtocolLimits;
  log: Logger;
  createSession(request: IncomingMessage, transport: RunnerSessionTransport): RunnerSession;
}

export interface WebSocketIngest {
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, url: URL): void;
  stopReading(): void;
  close(): Promise<void>;
}

/** Acks that a runner does not read: beyond this the line is cut, and the runner comes again. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
const CLOSE_GRACE_MS = 2_000;
/** A close frame holds at most this many bytes of reason. */
const MAX_CLOSE_REASON_BYTES = 123;

export function createWebSocketIngest(options: WebSocketIngestOptions): WebSocketIngest {
  const { limits, log } = options;
  const sessions = new Map<WebSocket, RunnerSession>();
  const sockets = createSockets({
    maxPayload: limits.maxFrameBytes,
    pingIntervalMs: limits.pingIntervalMs,
    log,
    onPing: (socket) => void sessions.get(socket)?.checkToken(),
  });
  let stopped = false;

  function accept(socket: WebSocket, request: IncomingMessage, url: URL): void {
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
    sessions.set(socket, session);
    function setPaused(on: boolean): void {
      if (stopped || socket.readyState !== WebSocket.OPEN) return;
      if (on) socket.pause();
      else socket.resume();
      sockets.sign(socket);
    }
    const helloTimer = setTimeout(() => session.expectHello(), limits.helloTimeoutMs);
    helloTimer.unref();
    socket.on('message', (data, isBinary) => {
      sockets.sign(socket);
      if (stopped) return;
      if (isBinary) end(socket, CLOSE.badMessage, badMessage('A frame is text, not binary.'));
      else void session.receive(textOf(data));
    });
    socket.on('close', () => {
      clearTimeout(helloTimer);
      session.end();
      sessions.delete(socket);
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
      if (stopped) socket.destroy();
      else sockets.accept(request, socket, head, (opened) => accept(opened, request, url));
    },
    stopReading() {
      stopped = true;
      for (const socket of sockets.clients) socket.pause();
    },
    async close() {
      stopped = true;
      await sockets.close((socket) =>
        end(socket, CLOSE.goingAway, { type: 'error', code: 'going_away', reason: 'The server stops.' }),
      );
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
