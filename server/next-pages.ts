/**
 * Next is one of the endpoints. Next renders every request that no other endpoint answers.
 *
 * Next adds its own `upgrade` listener to the HTTP server it is given, and ends every socket with the path of a page.
 * So Next gets a server that never listens; in development, upgrades are passed to Next by hand.
 */
import type { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { Actor } from '../core/identity/actor';
import { answerError, refuseUpgrade } from './http/answers';
import type { Budgets } from './http/budgets';
import type { Endpoint } from './http/endpoint';
import { pagePolicy } from './http/security-headers';

export interface PagesOptions {
  folder: string;
  host: string;
  port: number;
  isDevelopment: boolean;
  /** Who requests a page. Null: a visitor before the log-in. */
  findViewer(headers: IncomingHttpHeaders): Promise<Actor | null>;
  budgets: Budgets;
  /** Holds the viewer while a page renders. */
  viewers: AsyncLocalStorage<Actor>;
}

const FILES = /^\/(icon\.svg|favicon\.ico|_next\/static\/.*)$/;
/** What a browser loads before the log-in: two pages without data. */
const OPEN = /^\/(login|invitation)$/;

/** Load and prepare Next (0.2–0.4 s). NODE_ENV must be set. */
export async function createPages(options: PagesOptions): Promise<Endpoint> {
  // Loaded late: Next and React read NODE_ENV when they are loaded.
  const { default: next } = await import('next');
  const sink = createServer();
  const app = next({
    dev: options.isDevelopment,
    dir: options.folder,
    hostname: options.host,
    port: options.port,
    httpServer: sink,
  });
  await app.prepare();
  const handle = app.getRequestHandler();
  return {
    async handleRequest(req, res, url) {
      const nonce = randomBytes(16).toString('base64');
      const policy = pagePolicy(nonce, req.headers.host ?? '', options.isDevelopment);
      // Next takes the nonce for its scripts from the request; a policy sent by a client is overwritten.
      req.headers['content-security-policy'] = policy;
      res.setHeader('Content-Security-Policy', policy);
      if (FILES.test(url.pathname) || (options.isDevelopment && url.pathname.startsWith('/_next/')))
        return handle(req, res);
      const viewer = await options.findViewer(req.headers);
      if (viewer) {
        const account = options.budgets.open(req, viewer.name);
        const leave = account.enter('REQUESTS');
        if (typeof leave === 'object') {
          res.setHeader('Retry-After', String(leave.retryAfterSeconds));
          return answerError(res, 429, 'rate_limited', leave.reason);
        }
        const end = await account.turn();
        try {
          return await options.viewers.run(viewer, () => handle(req, res));
        } finally {
          end();
          leave();
        }
      }
      if (OPEN.test(url.pathname)) return handle(req, res);
      url.searchParams.delete('_rsc');
      const next = encodeURIComponent(`${url.pathname}${url.search}`);
      res.writeHead(303, { Location: `/login?next=${next}`, 'Cache-Control': 'no-store' });
      res.end();
    },
    handleUpgrade(req, socket, head, url) {
      if (options.isDevelopment && url.pathname.startsWith('/_next/'))
        sink.emit('upgrade', req, socket, head);
      else refuseUpgrade(socket, 404, 'not_found', 'There is no socket at this path.');
    },
    close: () => app.close(),
  };
}
