/** `/v1/live`: the feed for browsers. Owns the sockets; the hub provides the frames. */
import type { RawData, WebSocket } from 'ws';
import * as z from 'zod';
import type { LiveRequest } from '../../core/live/protocol';
import { CLOSE } from '../../core/protocol/close-codes';
import { PROTOCOL_LIMITS } from '../../core/protocol/limits';
import { createAuthenticator } from '../auth/authenticator';
import { type Authorization, authorize, checkToken, readBearer } from '../auth/authorize';
import { answerError, refuseUpgrade } from '../http/answers';
import { describeError } from '../http/create-http-server';
import type { Endpoint, ServerContext } from '../http/endpoint';
import { isLoopback } from '../http/gate';
import { createSockets } from '../http/sockets';
import { createFrameSender } from './frame-sender';
import { createLiveHub, type LiveOptions } from './live-hub';

type LiveSettings = Pick<ServerContext['settings'], 'host' | 'idleAfterMinutes'>;

const DEFAULTS: LiveOptions = {
  now: Date.now,
  tickMs: 250,
  sweepMs: 5_000,
  pingIntervalMs: PROTOCOL_LIMITS.pingIntervalMs,
  countsMs: 10_000,
  maxBufferedBytes: 1024 * 1024,
  // Small enough that reading one part does not delay input in the browser.
  partSize: 200,
  maxSessions: 10_000,
};

const MAX_REQUEST_BYTES = 4 * 1024;
const MAX_SOCKETS = 1_000;
const MAX_SESSIONS_WATCHED = 100;

export async function createLiveEndpoint(
  context: Pick<ServerContext, 'sql' | 'epoch' | 'log'> & { settings: LiveSettings },
  overrides: Partial<LiveOptions> = {},
): Promise<Endpoint> {
  const { sql, epoch, settings, log } = context;
  const options = { ...DEFAULTS, ...overrides };
  const authenticator = createAuthenticator(sql, options.now);
  /** Tokens of programs. Pages have no token. */
  const tokens = new WeakMap<WebSocket, string>();
  const sockets = createSockets({
    maxPayload: MAX_REQUEST_BYTES,
    pingIntervalMs: options.pingIntervalMs,
    log,
    onPing: (socket) => void checkAgain(socket),
  });
  const hub = await createLiveHub({
    ...options,
    sql,
    idleAfterMs: settings.idleAfterMinutes * 60_000,
    onError: (error) => log.error({ err: describeError(error) }, 'the live feed failed to read'),
  });

  /** Close the socket if its token was revoked, but not if the database is unavailable. */
  async function checkAgain(socket: WebSocket): Promise<void> {
    const token = tokens.get(socket);
    if (token === undefined) return;
    const access = await checkToken(authenticator, token, ['read']).catch(() => null);
    if (access && !access.ok) socket.close(CLOSE.unauthorized, 'the token was revoked');
  }

  function serve(socket: WebSocket): void {
    const sender = createFrameSender(socket, { ...options, epoch });
    const watched = new Set<string>();

    socket.on('close', () => {
      hub.fleet.unsubscribe(sender);
      hub.events.unsubscribe(sender);
      hub.turns.unsubscribe(sender);
      for (const id of watched) hub.leaveSession(id, sender);
    });
    socket.on('message', (data: RawData, isBinary) => {
      const request = isBinary ? null : readRequest(data.toString());
      if (!request) return socket.close(CLOSE.badMessage, 'not a request of the live feed');
      if (request.type === 'ping') {
        // Answers to a client that does not read would accumulate here.
        if (!sender.isBehind()) sender.send(`"type":"pong","at":${request.at}`);
        return;
      }
      if (request.topic !== 'session') {
        const feed = hub[request.topic];
        if (request.type === 'subscribe') feed.subscribe(sender);
        else feed.unsubscribe(sender);
        return;
      }
      const id = request.id.toLowerCase();
      if (request.type === 'unsubscribe') {
        if (watched.delete(id)) hub.leaveSession(id, sender);
        return;
      }
      if (!watched.has(id) && watched.size >= MAX_SESSIONS_WATCHED) {
        return socket.close(CLOSE.badMessage, `at most ${MAX_SESSIONS_WATCHED} sessions at a time`);
      }
      watched.add(id);
      hub.watchSession(id, sender);
    });
  }

  return {
    handleRequest(_, res) {
      res.setHeader('Upgrade', 'websocket');
      answerError(res, 426, 'upgrade_required', 'This is a WebSocket: see core/live/protocol.ts.');
      return Promise.resolve();
    },
    handleUpgrade(req, socket, head, url) {
      // The gate accepts an Origin only from our own pages. Programs send no Origin, but a token.
      const isOwnPage = isLoopback(settings.host) && req.headers.origin !== undefined;
      const access: Promise<Authorization> = isOwnPage
        ? Promise.resolve({ ok: true, name: 'browser', project: null })
        : authorize(authenticator, { headers: req.headers, url, scopes: ['read'], allowSameOrigin: false });
      access
        .then((granted) => {
          if (!granted.ok) return refuseUpgrade(socket, granted.status, granted.code, granted.reason);
          if (sockets.clients.size >= MAX_SOCKETS) {
            return refuseUpgrade(socket, 503, 'too_many_sockets', `At most ${MAX_SOCKETS} live sockets.`);
          }
          sockets.accept(req, socket, head, (opened) => {
            const token = readBearer(req.headers);
            if (token !== null && !isOwnPage) tokens.set(opened, token);
            serve(opened);
          });
        })
        .catch((error: unknown) => {
          log.error({ err: describeError(error) }, 'a live socket could not be authorized');
          refuseUpgrade(socket, 503, 'unavailable', 'The server cannot check the token at the moment.');
        });
    },
    async close() {
      hub.close();
      await sockets.close((socket) => socket.close(CLOSE.goingAway, 'the server stops'));
    },
  };
}

const topic = [
  z.object({ topic: z.enum(['fleet', 'events', 'turns']) }),
  z.object({ topic: z.literal('session'), id: z.uuid() }),
] as const;

const request = z.union([
  z.object({ type: z.literal('subscribe') }).and(z.union(topic)),
  z.object({ type: z.literal('unsubscribe') }).and(z.union(topic)),
  z.object({ type: z.literal('ping'), at: z.number() }),
]);

function readRequest(text: string): LiveRequest | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const parsed = request.safeParse(value);
  return parsed.success ? parsed.data : null;
}
