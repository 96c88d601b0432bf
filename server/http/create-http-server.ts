/**
 * The HTTP server: sets the security headers, checks the gate, and calls the endpoint with the longest prefix.
 *
 * Owns the listening socket and every connection that no endpoint took over by an upgrade.
 */
import { readFileSync, watchFile } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { BlockList, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { requestSeconds } from '../metrics';
import { answerError, describeOutage, REFUSED, refuseUpgrade } from './answers';
import type { DatabaseProbe } from './database-probe';
import type { Endpoint } from './endpoint';
import { checkOrigin, type Refusal } from './gate';
import { ADDRESS_HEADER, addressOfClient, type Edge, readPeer } from './peer';
import { setSecurityHeaders } from './security-headers';

export interface Route {
  /** A path such as `/healthz`, with all paths below it. `/` covers all other paths. */
  prefix: string;
  endpoint: Endpoint;
}

const NO_EDGE: Edge = { publicUrl: null, proxies: new BlockList(), tls: null };

export type HttpServer = ReturnType<typeof createHttpServer>;

const HEADERS_TIMEOUT_MS = 15_000;
/** Time limit for a whole request, body included. */
const REQUEST_TIMEOUT_MS = 60_000;
/** With the probe's timeout of at most 3.5 s, a request ends within five seconds after the database freezes. */
const PROBE_EVERY_MS = 1_000;
const RETRY_AFTER_SECONDS = '1';
const STARTING = 'The server is starting.';
const FAILED = 'The server failed to answer. The reason is in its log.';
const MAX_HEADER_BYTES = 16 * 1024;
const REFUSED_MS = 1_000;
/** Statuses of refusals by the gate, and for tokens, rights and limits. */
const LOGGED = new Set([400, 401, 403, 421, 429]);
/** Lines per minute. */
const MAX_REFUSALS_LOGGED = 100;
/** Renewed certificates are used within a minute. */
const CERTIFICATE_CHECK_MS = 60_000;

/** @param maxConnections of one address */
export function createHttpServer(
  log: Logger,
  edge: Edge = NO_EDGE,
  maxConnections = Number.POSITIVE_INFINITY,
) {
  let routes: readonly Route[] = [];
  let probe: DatabaseProbe | null = null;
  let isTaking = true;
  let ended = Promise.resolve();
  /** Connections without a request so far. Browsers open them ahead, and Node does not count them as idle. */
  const unused = new Set<Socket>();

  const options = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The gate refuses a missing Host.
    requireHostHeader: false,
  };
  const server = createServer(options);
  const secure = edge.tls && createSecure(edge.tls, options);
  const servers: Server[] = secure ? [server, secure] : [server];

  /** Statuses, addresses and routes that are in the log already. */
  let refusals = { minute: 0, logged: new Set<string>() };
  const connections = new Map<string, number>();
  const refused = new WeakSet<Duplex>();

  function countConnection(socket: Socket): void {
    const address = addressOfClient(socket, edge.proxies);
    if (address === null) return;
    const count = (connections.get(address) ?? 0) + 1;
    connections.set(address, count);
    socket.once('close', () => {
      const left = (connections.get(address) ?? 1) - 1;
      if (left > 0) connections.set(address, left);
      else connections.delete(address);
    });
    if (count <= maxConnections) return;
    refused.add(socket);
    logRefusal(429, address, 'connection');
    const reason = `The address may have ${maxConnections} open connections (BAROGRAPH_LIMIT_CONNECTIONS).`;
    refuseUpgrade(socket, 429, 'rate_limited', reason, null);
    socket.setTimeout(REFUSED_MS, () => socket.destroy());
  }

  function admit(req: IncomingMessage): URL | Refusal {
    if (!isTaking) return { status: 503, code: 'stopping', reason: 'The server is stopping.' };
    const peer = readPeer(req, edge.proxies);
    // Written over what a client sent.
    req.headers[ADDRESS_HEADER] = 'code' in peer ? req.socket.remoteAddress : peer.address;
    if ('code' in peer) return peer;
    // Node keeps the first of two Host headers, and a proxy may keep the other. The gate refuses this list.
    req.headers.host = req.headersDistinct.host?.join();
    return (
      checkOrigin(req.headers, peer.scheme, edge.publicUrl) ??
      parseTarget(req, peer.scheme) ?? {
        status: 400,
        code: 'bad_target',
        reason: 'The request target is not a valid path.',
      }
    );
  }

  function onRequest(req: IncomingMessage, res: ServerResponse) {
    if (refused.has(req.socket)) return;
    unused.delete(req.socket);
    const url = admit(req);
    setSecurityHeaders(res, url instanceof URL && url.protocol === 'https:');
    if (!(url instanceof URL)) {
      if (!isTaking) res.setHeader('Connection', 'close');
      logRefusal(url.status, String(req.headers[ADDRESS_HEADER]), url.code);
      return answerError(res, url.status, url.code, url.reason);
    }
    void handle(req, res, url);
  }

  /** Without path and headers, which may contain keys and tokens. A client cannot fill the log. */
  function logRefusal(status: number, address: string, route: string): void {
    if (!LOGGED.has(status)) return;
    const minute = Math.floor(performance.now() / 60_000);
    if (refusals.minute !== minute) refusals = { minute, logged: new Set() };
    const { logged } = refusals;
    const key = `${status} ${address} ${route}`;
    if (logged.has(key) || logged.size >= MAX_REFUSALS_LOGGED) return;
    logged.add(key);
    log.info({ status, address, route }, 'requests are refused');
  }

  const handle = async (req: IncomingMessage, res: ServerResponse, url: URL): Promise<void> => {
    const { endpoint, prefix } = findRoute(routes, url.pathname) ?? {};
    const endTimer = requestSeconds.startTimer();
    res.once('close', () => {
      const route = prefix ?? 'none';
      endTimer({ route, status: `${Math.floor(res.statusCode / 100)}xx` });
      if (res.statusCode !== 400) logRefusal(res.statusCode, String(req.headers[ADDRESS_HEADER]), route);
    });
    if (!endpoint) {
      if (routes.length === 0) answerError(res, 503, 'starting', STARTING);
      else answerError(res, 404, 'not_found', 'No endpoint at this path.');
      return;
    }
    try {
      await Promise.race([endpoint.handleRequest(req, res, url), untilFrozen(probe, res)]);
    } catch (error) {
      const outage = describeOutage(error);
      log[outage ? 'warn' : 'error']({ err: describeError(error), path: url.pathname }, 'request failed');
      // The endpoint may still write once the database answers again.
      res.on('error', () => undefined);
      if (res.headersSent) res.destroy();
      else if (outage) {
        res.setHeader('Retry-After', RETRY_AFTER_SECONDS);
        answerError(res, 503, outage.code, `${outage.reason}.`);
      } else answerError(res, 500, 'internal', FAILED);
    }
  };

  function onUpgrade(req: IncomingMessage, socket: Duplex, head: Buffer) {
    if (refused.has(socket)) return;
    unused.delete(req.socket);
    // A socket that fails before an endpoint listens must not end the process.
    socket.on('error', () => socket.destroy());
    const url = admit(req);
    const { endpoint, prefix } = (url instanceof URL && findRoute(routes, url.pathname)) || {};
    const what = url instanceof URL ? (prefix ?? 'none') : url.code;
    socket.once(REFUSED, (status: number) => logRefusal(status, String(req.headers[ADDRESS_HEADER]), what));
    if (!(url instanceof URL)) return refuseUpgrade(socket, url.status, url.code, url.reason, req.url);
    if (routes.length === 0) return refuseUpgrade(socket, 503, 'starting', STARTING, req.url);
    if (!endpoint?.handleUpgrade) {
      return refuseUpgrade(socket, 404, 'not_found', 'There is no socket at this path.', req.url);
    }
    try {
      endpoint.handleUpgrade(req, socket, head, url);
    } catch (error) {
      log.error({ err: describeError(error), path: url.pathname }, 'upgrade failed');
      refuseUpgrade(socket, 500, 'internal', FAILED, req.url);
    }
  }
  for (const each of servers) {
    each.on('request', onRequest).on('upgrade', onUpgrade);
    each.on(each === secure ? 'secureConnection' : 'connection', (socket: Socket) => {
      countConnection(socket);
      unused.add(socket);
      socket.once('close', () => unused.delete(socket));
    });
  }

  return {
    /** Resolve with the port. @throws the system's error (EADDRINUSE) */
    async listen(port: number, host: string): Promise<number> {
      if (secure && edge.tls) await listen(secure, edge.tls.port, edge.tls.host);
      return listen(server, port, host);
    },
    /**
     * Set the routes. Before this call every request is answered with 503.
     * @param database ends requests that wait for a database without an answer; null: they wait
     */
    serve(given: readonly Route[], database: DatabaseProbe | null = null): void {
      probe = database;
      routes = [...given].sort((a, b) => b.prefix.length - a.prefix.length);
    },
    /** Accept no more connections, and answer 503 on open ones. */
    stopTaking(): void {
      isTaking = false;
      const closed = (each: Server) => new Promise<void>((resolve) => each.close(() => resolve()));
      ended = Promise.all(servers.map(closed)).then(() => undefined);
      for (const each of servers) each.closeIdleConnections();
      for (const socket of unused) socket.destroy();
    },
    /** After `stopTaking`: resolve when every connection is closed, by force after `timeoutMs`. */
    async close(timeoutMs: number): Promise<void> {
      for (const each of servers) each.closeIdleConnections();
      await Promise.race([ended, pause(timeoutMs, undefined, { ref: false })]);
      for (const each of servers) each.closeAllConnections();
    },
  };
}

/** Rejects when the database stops answering before the response is written; otherwise never settles. */
function untilFrozen(probe: DatabaseProbe | null, res: ServerResponse): Promise<never> {
  return new Promise((_, reject) => {
    if (!probe) return;
    const check = async (): Promise<void> => {
      const isUp = await probe.answers();
      if (res.writableEnded || res.destroyed) return;
      if (isUp) timer = setTimeout(check, PROBE_EVERY_MS);
      else reject(Object.assign(new Error('The database does not respond.'), { code: 'ETIMEDOUT' }));
    };
    let timer = setTimeout(check, PROBE_EVERY_MS);
    res.once('close', () => clearTimeout(timer));
  });
}

function findRoute(routes: readonly Route[], path: string): Route | undefined {
  return routes.find(
    ({ prefix }) => path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`),
  );
}

/**
 * Accept origin-form targets only, because an absolute target could name another host than the checked header. Refuse
 * invalid escapes, because the pages would answer 500.
 */
function parseTarget(req: IncomingMessage, scheme: string): URL | null {
  const target = req.url ?? '';
  if (!target.startsWith('/')) return null;
  try {
    const url = new URL(`${scheme}://${req.headers.host}${target}`);
    decodeURIComponent(url.pathname);
    return url;
  } catch {
    return null;
  }
}

/** Details of an error for the log, without the query text, which can have hundreds of kilobytes. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error).slice(0, 500) };
  const cause = error.cause instanceof Error ? error.cause : error;
  const code = (cause as { code?: unknown }).code;
  return {
    type: error.name,
    // Data exceptions quote the value.
    message: String(code).startsWith('22') ? 'The database refused a value.' : cause.message.slice(0, 500),
    ...(typeof code === 'string' ? { code } : {}),
    stack: cause.stack
      ?.match(/^ +at .*$/gm)
      ?.slice(-8)
      .join('\n'),
  };
}

/** @throws when a file cannot be read or is no certificate */
function createSecure({ certFile, keyFile }: NonNullable<Edge['tls']>, options: object) {
  const read = () => ({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
  const secure = createTlsServer({ ...options, ...read(), minVersion: 'TLSv1.2' });
  const watcher = watchFile(certFile, { interval: CERTIFICATE_CHECK_MS }, () => {
    try {
      secure.setSecureContext(read());
    } catch {
      // The files are being replaced: the next change is read again.
    }
  });
  watcher.unref();
  secure.on('close', () => watcher.removeAllListeners());
  return secure;
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(address && typeof address === 'object' ? address.port : port);
    });
  });
}
