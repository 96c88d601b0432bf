import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { httpAddress } from '../proof/prove-server';
import { probeServer, probeToken } from './probe-server';

let server: Server | null = null;
afterEach(() => new Promise<void>((done) => (server === null ? done() : server.close(() => done()))));

async function serve(handler: RequestListener): Promise<string> {
  const made = createServer(handler);
  server = made;
  await new Promise<void>((listening) => made.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
}

describe('probing a server', () => {
  it('reports version and clock difference', async () => {
    const now = Date.parse('2026-11-21T12:00:00.000Z');
    const url = await serve((_, response) => {
      response.setHeader('date', 'Sat, 21 Nov 2026 12:10:00 GMT');
      response.end(JSON.stringify({ status: 'ok', version: '1.2.3', epoch: 'e' }));
    });
    const probe = await probeServer(url, () => now);
    expect(probe).toMatchObject({ type: 'answered', healthy: true, version: '1.2.3', clockSkewMs: 600_500 });
  });

  it('distinguishes other programs and closed ports', async () => {
    const url = await serve((_, response) => response.writeHead(404).end('<html>'));
    expect(await probeServer(url, Date.now)).toEqual({ type: 'stranger', status: 404 });
    expect(await probeServer('http://127.0.0.1:1', Date.now)).toMatchObject({ type: 'unreachable' });
  });

  it("reports the token's name, or why it is refused", async () => {
    const url = await serve((request, response) => {
      const good = request.headers.authorization === 'Bearer bg_good';
      response.statusCode = good ? 200 : 401;
      response.end(
        JSON.stringify(
          good ? { token: { name: 'pier', scope: 'ingest' } } : { type: 'error', reason: 'not known' },
        ),
      );
    });
    expect(await probeToken(url, 'bg_good', null)).toEqual({ type: 'good', name: 'pier', scope: 'ingest' });
    expect(await probeToken(url, 'bg_bad', null)).toEqual({
      type: 'refused',
      status: 401,
      reason: 'not known',
    });
  });

  it('derives HTTP addresses from every form', () => {
    expect(httpAddress('ws://a:1/v1/ingest', '/healthz')).toBe('http://a:1/healthz');
    expect(httpAddress('https://a/base/', '/')).toBe('https://a/base/');
  });
});
