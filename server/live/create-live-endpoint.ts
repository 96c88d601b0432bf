/** `/v1/live`: the feed for browsers. Owns the sockets; the hub provides the frames. */
import type { IncomingMessage } from 'node:http';
import type { RawData, WebSocket } from 'ws';
import * as z from 'zod';
import { type Actor, projectsOf } from '../../core/identity/actor';
import type { LiveRequest } from '../../core/live/protocol';
import { CLOSE } from '../../core/protocol/close-codes';
import { PROTOCOL_LIMITS } from '../../core/protocol/limits';
import { limitReads } from '../../db/queries/limit-reads';
import { authorize } from '../auth/authorize';
import { answerError, refuseUpgrade } from '../http/answers';
import type { Account } from '../http/budgets';
import { describeError } from '../http/create-http-server';
import type { Endpoint, ServerContext } from '../http/endpoint';
import { createSockets } from '../http/sockets';
import { createFrameSender } from './frame-sender';
import { createLiveHub, type LiveHub, type LiveOptions } from './live-hub';

type LiveSettings = Pick<ServerContext['settings'], 'idleAfterMinutes'>;

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
  context: Pick<ServerContext, 'sql' | 'auth' | 'epoch' | 'log' | 'budgets'> & { settings: LiveSettings },
  overrides: Partial<LiveOptions> = {},
): Promise<Endpoint> {
  const { sql, auth, epoch, settings, log, budgets } = context;
  const options = { ...DEFAULTS, ...overrides };
  /** The request that opened a socket, and the projects that it may read. */
  const opened = new WeakMap<WebSocket, { request: IncomingMessage; url: URL; projects: string }>();
  const sockets = createSockets({
    kind: 'browser',
    maxPayload: MAX_REQUEST_BYTES,
    pingIntervalMs: options.pingIntervalMs,
    log,
    onPing: (socket) => void checkAgain(socket),
  });
  const openHub = (projects: readonly string[] | null) =>
    createLiveHub({
      ...options,
      sql: limitReads(sql, projects),
      idleAfterMs: settings.idleAfterMinutes * 60_000,
      onError: (error) => log.error({ err: describeError(error) }, 'the live feed failed to read'),
    });
  const whole = await openHub(null);
  /** Hubs for readers that see only some projects, by these projects. A hub closes with its last reader. */
  const hubs = new Map<string, { hub: Promise<LiveHub>; readers: number }>();

  const authorizeReader = (request: IncomingMessage, url: URL, isKnown = false) =>
    authorize(auth, { request, url, rights: ['read'], allowPages: true, isKnown });
  const projectsKey = (actor: Actor): string =>
    JSON.stringify(projectsOf(actor, ['read'])?.toSorted() ?? null);

  /** Close the socket if its token or log-in ended, or its projects changed, but not if the database is unavailable. */
  async function checkAgain(socket: WebSocket): Promise<void> {
    const known = opened.get(socket);
    if (!known) return;
    const access = await authorizeReader(known.request, known.url, true).catch(() => null);
    if (access && !(access.ok && projectsKey(access.actor) === known.projects)) {
      socket.close(CLOSE.unauthorized, 'the access ended or changed');
    }
  }

  const stopChecking = auth.onChange(() => {
    for (const socket of sockets.clients) void checkAgain(socket);
  });

  /** The hub for these projects, until the socket closes. */
  async function joinHub(socket: WebSocket, key: string): Promise<LiveHub> {
    if (key === 'null') return whole;
    const shared = hubs.get(key) ?? { hub: openHub(JSON.parse(key) as string[]), readers: 0 };
    hubs.set(key, shared);
    shared.readers += 1;
    socket.on('close', () => {
      shared.readers -= 1;
      if (shared.readers > 0) return;
      hubs.delete(key);
      shared.hub.then((hub) => hub.close()).catch(() => undefined);
    });
    return shared.hub;
  }

  function serve(socket: WebSocket, hub: LiveHub, account: Account): void {
    const sender = createFrameSender(socket, { ...options, epoch });
    const watched = new Set<string>();

    socket.on('close', () => {
      hub.fleet.unsubscribe(sender);
      hub.events.unsubscribe(sender);
      hub.turns.unsubscribe(sender);
      hub.alerts.unsubscribe(sender);
      for (const id of watched) hub.leaveSession(id, sender);
    });
    socket.on('message', (data: RawData, isBinary) => {
      if (socket.readyState !== socket.OPEN) return;
      account.charge('LIVE_REQUESTS', 1);
      if (account.exceeded('readers'))
        return socket.close(CLOSE.rateLimited, 'BAROGRAPH_LIMIT_LIVE_REQUESTS');
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
      authorizeReader(req, url)
        .then((granted) => {
          if (!granted.ok) return refuseUpgrade(socket, granted.status, granted.code, granted.reason);
          if (sockets.clients.size >= MAX_SOCKETS) {
            return refuseUpgrade(socket, 503, 'too_many_sockets', `At most ${MAX_SOCKETS} live sockets.`);
          }
          const account = budgets.open(req, granted.actor.name);
          const leave = account.exceeded('readers') ?? account.enter('LIVE_SOCKETS');
          if (typeof leave === 'object') return refuseUpgrade(socket, 429, 'rate_limited', leave.reason);
          socket.once('close', leave);
          const projects = projectsKey(granted.actor);
          sockets.accept(req, socket, head, (accepted) => {
            opened.set(accepted, { request: req, url, projects });
            // A message that arrives while the hub opens waits.
            accepted.pause();
            joinHub(accepted, projects)
              .then((hub) => {
                serve(accepted, hub, account);
                accepted.resume();
              })
              .catch(() => accepted.close(CLOSE.goingAway, 'the feed could not be opened'));
          });
        })
        .catch((error: unknown) => {
          log.error({ err: describeError(error) }, 'a live socket could not be authorized');
          refuseUpgrade(socket, 503, 'unavailable', 'The server cannot check the token at the moment.');
        });
    },
    async close() {
      stopChecking();
      whole.close();
      for (const { hub } of hubs.values()) hub.then((open) => open.close()).catch(() => undefined);
      await sockets.close((socket) => socket.close(CLOSE.goingAway, 'the server stops'));
    },
  };
}

const topic = [
  z.object({ topic: z.enum(['fleet', 'events', 'turns', 'alerts']) }),
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
