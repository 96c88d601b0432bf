/** The only file that uses the WebSocket library. */
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { CLOSE } from '../../../core/protocol/close-codes';

interface SocketTarget {
  url: string;
  headers: Record<string, string>;
}

interface SocketHandlers {
  onOpen(): void;
  onMessage(text: string): void;
  /** Called for any data, including pings. */
  onHeard(): void;
  /** Called once, as the last handler. */
  onClose(code: number, detail: string): void;
}

export interface ClientSocket {
  send(text: string): void;
  /** Close it. No handler is called afterwards. */
  drop(): void;
  /** Whether the open socket keeps the process alive. */
  keepAlive(on: boolean): void;
}

export type Connect = (target: SocketTarget, handlers: SocketHandlers) => ClientSocket;

/** A welcome may list many ranges, an ack many refusals. */
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
    // From the first packet on: a server that never answers must not keep the agent's process alive.
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
  // 1006: the library's code for a lost connection.
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

/**
 * The WebSocket address of a server's ingest endpoint.
 * @param url http, https, ws or wss, with or without a base path.
 * @throws TypeError for any other scheme, and for credentials or a query: the token is sent in a header.
 */
export function ingestAddress(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const scheme = parsed ? SCHEMES[parsed.protocol] : undefined;
  if (!parsed || !scheme)
    throw new TypeError(`The server's address must begin with http:// or https://, and is "${url}".`);
  if (parsed.username || parsed.password || parsed.search) {
    throw new TypeError(
      'The server’s address must carry no user, password or query: give the token separately.',
    );
  }
  const base = parsed.pathname.replace(/\/+$/, '').replace(/\/v1\/ingest$/, '');
  return `${scheme}//${parsed.host}${base}/v1/ingest`;
}

const SCHEMES: Record<string, string> = { 'http:': 'ws:', 'ws:': 'ws:', 'https:': 'wss:', 'wss:': 'wss:' };
