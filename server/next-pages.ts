/**
 * Next is one of the endpoints. Next renders every request that no other endpoint answers.
 *
 * Next adds its own `upgrade` listener to the HTTP server it is given, and ends every socket with the path of a page.
 * So Next gets a server that never listens; in development, upgrades are passed to Next by hand.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { refuseUpgrade } from './http/answers';
import type { Endpoint } from './http/endpoint';
import { pagePolicy } from './http/security-headers';

export interface PagesOptions {
  folder: string;
  host: string;
  port: number;
  isDevelopment: boolean;
}

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
    async handleRequest(req, res) {
      const nonce = randomBytes(16).toString('base64');
      const policy = pagePolicy(nonce, req.headers.host ?? '', options.isDevelopment);
      // Next takes the nonce for its scripts from the request; a policy sent by a client is overwritten.
      req.headers['content-security-policy'] = policy;
      res.setHeader('Content-Security-Policy', policy);
      await handle(req, res);
    },
    handleUpgrade(req, socket, head, url) {
      if (options.isDevelopment && url.pathname.startsWith('/_next/'))
        sink.emit('upgrade', req, socket, head);
      else refuseUpgrade(socket, 404, 'not_found', 'There is no socket at this path.');
    },
    close: () => app.close(),
  };
}
