/** Connections to the ingest endpoint of a server. */
import { CLOSE } from '../../../core/protocol/close-codes';
import { parseServerMessage } from '../../../core/protocol/parse-server-message';
import { beginProof, httpAddress } from '../proof/prove-server';
import { LOST, WebSocketClient } from './web-socket';

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

/** A welcome may list many ranges, and an ack may list many refusals. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/**
 * Connect; with a secret, only after the server's proof. Every connection needs a proof, because another program may
 * take the port.
 */
export function connectServer({ url, token, secret }: Server, handlers: SocketHandlers): ClientSocket {
  let isAlive = true;
  let isOver = false;
  let socket: WebSocketClient | null = null;
  const end = (code: number, detail: string) => {
    if (isOver) return;
    isOver = true;
    handlers.onClose(code, detail);
  };
  const open = async () => {
    if (isOver) return;
    const headers: Record<string, string> = token === null ? {} : { Authorization: `Bearer ${token}` };
    // Also while connecting: a server that never answers must not keep the agent's process alive.
    socket = new WebSocketClient(
      url,
      { headers, maxBytes: MAX_MESSAGE_BYTES, keepsAlive: isAlive },
      {
        onOpen: handlers.onOpen,
        onText: handlers.onMessage,
        onFrame: handlers.onHeard,
        onClose: end,
        onRefused: (status, message, body) => {
          const error = parseServerMessage(body);
          const reason = error?.type === 'error' ? error.reason : `The server answered ${status} ${message}.`;
          end(CODE_OF_STATUS[status] ?? LOST, reason);
        },
      },
    );
  };
  // A token that is no valid header value throws.
  const begin = () => void open().catch((error: unknown) => end(LOST, String(error)));
  const proof = secret === null ? null : beginProof(url, secret);
  if (proof === null) begin();
  void proof?.result.then((outcome) => {
    if (outcome.type === 'proven') return begin();
    end(LOST, outcome.type === 'unproven' ? `${outcome.reason}: nothing was sent` : outcome.reason);
  });
  return {
    send: (text) => socket?.send(text),
    drop: () => {
      isOver = true;
      proof?.drop();
      socket?.close(1000);
      socket?.keepAlive(false);
    },
    keepAlive: (on) => {
      isAlive = on;
      if (socket === null) proof?.keepAlive(on);
      else socket.keepAlive(on);
    },
  };
}

const CODE_OF_STATUS: Readonly<Record<number, number>> = {
  401: CLOSE.unauthorized,
  403: CLOSE.forbidden,
  503: CLOSE.unavailable,
};

/**
 * The WebSocket address of a server's ingest endpoint.
 * @throws TypeError without an address, for a scheme other than http and ws, and for credentials or a query.
 */
export function ingestAddress(url: string): string {
  if (!url) {
    throw new TypeError(
      '"url" is missing. findServer() returns null if no server is known: start one with "npx barograph up", or set ' +
        'BAROGRAPH_URL and BAROGRAPH_TOKEN.',
    );
  }
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
