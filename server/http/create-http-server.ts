/**
 * The HTTP server: sets the security headers, checks the gate, and calls the endpoint with the longest prefix.
 *
 * Owns the listening socket and every connection that no endpoint took over by an upgrade.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { answerError, describeOutage, refuseUpgrade } from './answers';
import type { DatabaseProbe } from './database-probe';
import type { Endpoint } from './endpoint';
import { checkOrigin, type Refusal } from './gate';
import { setSecurityHeaders } from './security-headers';

export interface Route {
  /** A path such as `/healthz`, with all paths below it. `/` covers all other paths. */
  prefix: string;
  endpoint: Endpoint;
}

export type HttpServer = ReturnType<typeof createHttpServer>;

const HEADERS_TIMEOUT_MS = 15_000;
/** Time limit for a whole request, body included. */
const REQUEST_TIMEOUT_MS = 60_000;
/** With the probe's timeout of two seconds, a request ends within five seconds after the database freezes. */
const PROBE_EVERY_MS = 1_000;
const RETRY_AFTER_SECONDS = '1';
const MAX_HEADER_BYTES = 16 * 1024;

export function createHttpServer(log: Logger) {
  let routes: readonly Route[] = [];
  let probe: DatabaseProbe | null = null;
  let isTaking = true;
  let ended = Promise.resolve();

  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The gate refuses a missing Host.
    requireHostHeader: false,
  });

  function admit(req: IncomingMessage): URL | Refusal {
    if (!isTaking) return { status: 503, code: 'stopping', reason: 'The server is stopping.' };
    return (
      checkOrigin(req.headers) ??
      parseTarget(req) ?? {
        status: 400,
        code: 'bad_target',
        reason: 'The request target is not a valid path.',
      }
    );
  }

  server.on('request', (req, res) => {
    setSecurityHeaders(res);
    const url = admit(req);
    if (!(url instanceof URL)) {
      if (!isTaking) res.setHeader('Connection', 'close');
      return answerError(res, url.status, url.code, url.reason);
    }
    void handle(req, res, url);
  });

  const handle = async (req: IncomingMessage, res: ServerResponse, url: URL): Promise<void> => {
    const endpoint = findRoute(routes, url.pathname)?.endpoint;
    if (!endpoint) {
      if (routes.length === 0) answerError(res, 503, 'starting', 'The server is starting.');
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
      } else answerError(res, 500, 'internal', 'The server failed to answer. The reason is in its log.');
    }
  };

  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    // A socket that fails before an endpoint listens must not end the process.
    socket.on('error', () => socket.destroy());
    const url = admit(req);
    if (!(url instanceof URL)) return refuseUpgrade(socket, url.status, url.code, url.reason);
    const endpoint = findRoute(routes, url.pathname)?.endpoint;
    if (!endpoint?.handleUpgrade) {
      return refuseUpgrade(socket, 404, 'not_found', 'There is no socket at this path.');
    }
    try {
      endpoint.handleUpgrade(req, socket, head, url);
    } catch (error) {
      log.error({ err: describeError(error), path: url.pathname }, 'upgrade failed');
      refuseUpgrade(socket, 500, 'internal', 'The server failed to answer. The reason is in its log.');
    }
  });

  return {
    /** Resolve with the port. @throws the system's error (EADDRINUSE) */
    listen: (port: number, host: string) => listen(server, port, host),
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
      ended = new Promise((resolve) => {
        server.close(() => resolve());
      });
      server.closeIdleConnections();
    },
    /** After `stopTaking`: resolve when every connection is closed, by force after `timeoutMs`. */
    async close(timeoutMs: number): Promise<void> {
      server.closeIdleConnections();
      await Promise.race([ended, pause(timeoutMs, undefined, { ref: false })]);
      server.closeAllConnections();
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
      else reject(Object.assign(new Error('The database does not answer.'), { code: 'ETIMEDOUT' }));
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
function parseTarget(req: IncomingMessage): URL | null {
  const target = req.url ?? '';
  if (!target.startsWith('/')) return null;
  try {
    const url = new URL(`http://${req.headers.host}${target}`);
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
    message: cause.message.slice(0, 500),
    ...(typeof code === 'string' ? { code } : {}),
    stack: cause.stack?.split('\n').slice(-8).join('\n'),
  };
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
