/** The WebSocket side of ingest: timeout of the hello, pauses, and close codes. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { WebSocket } from 'ws';
import { CLOSE, type CloseCode } from '../../core/protocol/close-codes';
import type { ProtocolLimits } from '../../core/protocol/limits';
import type { ErrorMessage, ServerMessage } from '../../core/protocol/messages';
import { hasTokenInUrl, TOKEN_IN_URL } from '../auth/authorize';
import { REFUSED } from '../http/answers';
import { createSockets } from '../http/sockets';
import { STATUS } from './http-ingest';
import type { RunnerSession, RunnerSessionTransport } from './runner-session';

export interface WebSocketIngestOptions {
  limits: ProtocolLimits;
  log: Logger;
  createSession(request: IncomingMessage, transport: RunnerSessionTransport): RunnerSession;
}

/** Maximum size of unread acks. Beyond it the socket is closed, and the runner reconnects. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
const CLOSE_GRACE_MS = 2_000;
const BINARY: ErrorMessage = { type: 'error', code: 'bad_message', reason: 'A frame is text, not binary.' };
/** Limit of the WebSocket protocol. */
const MAX_CLOSE_REASON_BYTES = 123;

export function createWebSocketIngest(options: WebSocketIngestOptions) {
  const { limits, log } = options;
  const sessions = new Map<WebSocket, RunnerSession>();
  const sockets = createSockets({
    kind: 'runner',
    maxPayload: limits.maxFrameBytes,
    pingIntervalMs: limits.pingIntervalMs,
    log,
    onPing: (socket) => void sessions.get(socket)?.checkToken(),
  });
  let stopped = false;

  function accept(socket: WebSocket, request: IncomingMessage, url: URL): void {
    const refuse = (code: CloseCode, error: ErrorMessage): void => {
      request.socket.emit(REFUSED, STATUS[error.code]);
      end(socket, code, error);
    };
    if (hasTokenInUrl(url)) {
      refuse(CLOSE.unauthorized, { type: 'error', code: 'token_in_url', reason: TOKEN_IN_URL });
      return;
    }
    const session = options.createSession(request, {
      send: (message) => send(socket, message),
      close: refuse,
      sendCommand: (message) => send(socket, message),
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
      if (isBinary) end(socket, CLOSE.badMessage, BINARY);
      else void session.receive(data.toString());
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
    // A paused socket would never read the peer's close frame.
    socket.resume();
    socket.close(code, shorten(error.reason));
    // The library waits 30 s for the peer's close frame, so a hostile peer could hold the socket open.
    setTimeout(() => socket.terminate(), CLOSE_GRACE_MS).unref();
  }

  return {
    handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, url: URL): void {
      if (stopped) socket.destroy();
      else sockets.accept(request, socket, head, (opened) => accept(opened, request, url));
    },
    /** Check the token of every open socket again. */
    checkTokens(): void {
      for (const session of sessions.values()) void session.checkToken();
    },
    stopReading(): void {
      stopped = true;
      for (const socket of sockets.clients) socket.pause();
    },
    async close(): Promise<void> {
      stopped = true;
      await sockets.close((socket) =>
        end(socket, CLOSE.goingAway, { type: 'error', code: 'going_away', reason: 'The server stops.' }),
      );
    },
  };
}

function shorten(reason: string): string {
  if (Buffer.byteLength(reason) <= MAX_CLOSE_REASON_BYTES) return reason;
  // Three bytes for the ellipsis. A character that was cut in two becomes a replacement mark, which is removed.
  const cut = Buffer.from(reason).subarray(0, MAX_CLOSE_REASON_BYTES - 3);
  return `${cut.toString().replace(/\ufffd+$/, '')}…`;
}
