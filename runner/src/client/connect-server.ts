/** Sockets to the server: the only file that uses the WebSocket library. */
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { CLOSE } from '../../../core/protocol/close-codes';
import { beginProof } from '../proof/prove-server';

/** The server of a queue. */
interface Server {
  /** Its ingest endpoint. */
  url: string;
  token: string | null;
  /** What it must prove to know before the token is sent; null: the address is trusted. */
  secret: string | null;
}

export interface SocketHandlers {
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

/** The library's code for a lost connection. */
const LOST = 1006;
/** A welcome may list many ranges, an ack many refusals. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Connect, after the proof if there is a secret. Each connection is proven: another program may take the port. */
export function connectServer(server: Server, handlers: SocketHandlers): ClientSocket {
  if (server.secret === null) return openSocket(server, handlers);
  let socket: ClientSocket | null = null;
  let isAlive = true;
  let isOver = false;
  const proof = beginProof(server.url, server.secret);
  void proof.result.then((outcome) => {
    if (isOver) return;
    if (outcome.type === 'proven') {
      socket = openSocket(server, handlers);
      socket.keepAlive(isAlive);
    } else {
      isOver = true;
      const left = outcome.type === 'unproven' ? ': nothing was sent' : '';
      handlers.onClose(LOST, `${outcome.reason}${left}`);
    }
  });
  return {
    send: (text) => socket?.send(text),
    drop: () => {
      isOver = true;
      proof.drop();
      socket?.drop();
    },
    keepAlive: (on) => {
      isAlive = on;
      (socket ?? proof).keepAlive(on);
    },
  };
}

function openSocket({ url, token }: Server, handlers: SocketHandlers): ClientSocket {
  let alive = false;
  let line: Socket | null = null;
  const apply = () => {
    if (alive) line?.ref();
    else line?.unref();
  };
  const socket = new WebSocket(url, {
    headers: token === null ? {} : { Authorization: `Bearer ${token}` },
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
  socket.on('error', (error) => end(LOST, describe(error)));
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
}

function codeOfStatus(status: number): number {
  if (status === 401) return CLOSE.unauthorized;
  if (status === 403) return CLOSE.forbidden;
  if (status === 503) return CLOSE.unavailable;
  return LOST;
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
