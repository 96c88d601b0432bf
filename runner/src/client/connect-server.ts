/**
 * Sockets to the server: the only file that uses the WebSocket library. The library is loaded with the first connection,
 * because it is the larger half of a client's code.
 */
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { CLOSE } from '../../../core/protocol/close-codes';
import { beginProof, httpAddress } from '../proof/prove-server';

interface Server {
  url: string;
  token: string | null;
  /** The server must prove that it knows this secret before the token is sent. Null: the address is trusted. */
  secret: string | null;
}

export interface SocketHandlers {
  onOpen(): void;
  onMessage(text: string): void;
  /** Called for any data, including pings. */
  onHeard(): void;
  onClose(code: number, detail: string): void;
}

export interface ClientSocket {
  send(text: string): void;
  /** Close the socket, or stop connecting. No handler is called afterwards. */
  drop(): void;
  /** Whether the open socket keeps the process alive. */
  keepAlive(on: boolean): void;
}

/** `readyState` of an open socket. */
const OPEN = 1;
/** The library's code for a lost connection. */
const LOST = 1006;
/** A welcome may list many ranges, and an ack may list many refusals. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/**
 * Connect; with a secret, only after the server's proof. Every connection needs a proof, because another program may
 * take the port.
 */
export function connectServer({ url, token, secret }: Server, handlers: SocketHandlers): ClientSocket {
  let isAlive = true;
  let isOver = false;
  let line: Socket | null = null;
  let socket: WebSocket | null = null;
  const applyAlive = () => (isAlive ? line?.ref() : line?.unref());
  const end = (code: number, detail: string) => {
    if (isOver) return;
    isOver = true;
    handlers.onClose(code, detail);
  };
  const open = async () => {
    const { WebSocket } = await import('ws');
    if (isOver) return;
    socket = new WebSocket(url, {
      headers: token === null ? {} : { Authorization: `Bearer ${token}` },
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE_BYTES,
      followRedirects: false,
      // Applies during the connect too: a server that never answers must not keep the agent's process alive.
      finishRequest: (request) => {
        request.on('socket', (opened) => {
          line = opened;
          applyAlive();
        });
        request.end();
      },
    });
    listen(socket, handlers, end, () => isOver);
  };
  const begin = () => void open().catch((error: unknown) => end(LOST, String(error)));
  const proof = secret === null ? null : beginProof(url, secret);
  if (proof === null) begin();
  void proof?.result.then((outcome) => {
    if (outcome.type === 'proven') return begin();
    end(LOST, outcome.type === 'unproven' ? `${outcome.reason}: nothing was sent` : outcome.reason);
  });
  return {
    send: (text) => {
      if (socket?.readyState === OPEN) socket.send(text);
    },
    drop: () => {
      isOver = true;
      proof?.drop();
      if (socket?.readyState === OPEN) socket.close(1000);
      else socket?.terminate();
      line?.unref();
    },
    keepAlive: (on) => {
      isAlive = on;
      if (socket === null) proof?.keepAlive(on);
      applyAlive();
    },
  };
}

function listen(
  socket: WebSocket,
  handlers: SocketHandlers,
  end: (code: number, detail: string) => void,
  isOver: () => boolean,
): void {
  socket.on('open', () => !isOver() && handlers.onOpen());
  socket.on('message', (data, isBinary) => {
    if (isOver()) return;
    handlers.onHeard();
    if (!isBinary) handlers.onMessage(data.toString());
  });
  socket.on('ping', () => !isOver() && handlers.onHeard());
  socket.on('close', (code, reason) => end(code, reason.toString() || 'The connection was closed.'));
  socket.on('unexpected-response', (_request, response) => {
    const { statusCode = 0, statusMessage } = response;
    response.resume();
    end(CODE_OF_STATUS[statusCode] ?? LOST, `The server answered ${statusCode} ${statusMessage}.`);
    socket.terminate();
  });
  // Node reports several refused addresses as one error without a message.
  socket.on('error', (error: NodeJS.ErrnoException) => {
    end(LOST, error.message || error.code || 'The connection failed.');
  });
}

const CODE_OF_STATUS: Readonly<Record<number, number>> = {
  401: CLOSE.unauthorized,
  403: CLOSE.forbidden,
  503: CLOSE.unavailable,
};

/**
 * The WebSocket address of a server's ingest endpoint.
 * @throws TypeError for a scheme other than http and ws, and for credentials or a query.
 */
export function ingestAddress(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (!parsed || !/^(http|ws)s?:$/.test(parsed.protocol)) {
    throw new TypeError(`The server's address must start with http:// or https://, but is "${url}".`);
  }
  if (parsed.username || parsed.password || parsed.search) {
    throw new TypeError(
      'The server’s address must have no user, password or query: give the token separately.',
    );
  }
  return httpAddress(url, '/v1/ingest').replace(/^http/, 'ws');
}
