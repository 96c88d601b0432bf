/** The one place that knows the WebSocket library: a socket as the client wants to see it. */
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { CLOSE } from '../../../core/protocol/close-codes';

export interface SocketTarget {
  url: string;
  headers: Record<string, string>;
}

export interface SocketHandlers {
  onOpen(): void;
  onMessage(text: string): void;
  /** Anything came, a ping included: the server lives. */
  onHeard(): void;
  /** Once, and nothing after it. */
  onClose(code: number, detail: string): void;
}

export interface ClientSocket {
  send(text: string): void;
  /** Ends it, politely if it is open. No handler is called any more. */
  drop(): void;
  /** Whether the open socket keeps the process alive. */
  keepAlive(on: boolean): void;
}

export type Connect = (target: SocketTarget, handlers: SocketHandlers) => ClientSocket;

/** Largest message of a server: a welcome that lists many ranges, an ack with many refusals. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

export const connectWebSocket: Connect = ({ url, headers }, handlers) => {
  let alive = false;
  let line: Socket | null = null;
  const apply = () => {
    if (alive) line?.ref();
    else line?.unref();
  };
  const socket = new WebSocket(url, {
    headers,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    followRedirects: false,
    // From the first packet on, so that a server that never answers does not keep an agent from ending.
    finishRequest: (request) => {
      request.on('socket', (opened) => {
        line = opened;
        apply();
      });
      request.end();
    },
  });
  let over = false;
  const end = (code: number, detail: string) => {
    if (over) return;
    over = true;
    handlers.onClose(code, detail);
  };
  socket.on('open', () => !over && handlers.onOpen());
  socket.on('message', (data, isBinary) => {
    if (over) return;
    handlers.onHeard();
    if (!isBinary) handlers.onMessage(data.toString());
  });
  socket.on('ping', () => !over && handlers.onHeard());
  socket.on('close', (code, reason) => end(code, reason.toString() || 'The connection was closed.'));
  socket.on('unexpected-response', (_request, response) => {
    response.resume();
    end(
      codeOfStatus(response.statusCode ?? 0),
      `The server answered ${response.statusCode} ${response.statusMessage}.`,
    );
    socket.terminate();
  });
  // 1006: no close frame; the same code the library reports for a lost line.
  socket.on('error', (error) => end(1006, describe(error)));
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    drop: () => {
      over = true;
      if (socket.readyState === WebSocket.OPEN) socket.close(1000);
      else socket.terminate();
      line?.unref();
    },
    keepAlive: (on) => {
      alive = on;
      apply();
    },
  };
};

function codeOfStatus(status: number): number {
  if (status === 401) return CLOSE.unauthorized;
  if (status === 403) return CLOSE.forbidden;
  if (status === 503) return CLOSE.unavailable;
  return 1006;
}

/** Node reports several refused addresses as one error without a message. */
function describe(error: Error): string {
  const code = (error as NodeJS.ErrnoException).code;
  return error.message || code || 'The connection failed.';
}
