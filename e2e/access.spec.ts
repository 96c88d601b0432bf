import { request as httpRequest } from 'node:http';
import { WebSocket } from 'ws';
import { connectRunner } from './support/runner';
import type { BarographServer } from './support/server';
import { expect, test } from './support/test';

interface RawAnswer {
  status: number;
  body: string;
}

/** A request with headers that `fetch` does not let one set. */
function ask(
  server: BarographServer,
  path: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(server.url + path, { method, headers }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, body }));
    });
    request.once('error', reject);
    request.end();
  });
}

/** `open`, or the status with which the upgrade is refused. */
function knock(
  server: BarographServer,
  path: string,
  headers: Record<string, string>,
): Promise<'open' | number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(server.url.replace('http', 'ws') + path, { headers });
    socket.once('open', () => {
      socket.close();
      resolve('open');
    });
    socket.once('unexpected-response', (request, answer) => {
      resolve(answer.statusCode ?? 0);
      request.destroy();
    });
    socket.once('error', reject);
  });
}

const FOREIGN_ORIGIN = { Origin: 'https://elsewhere.example' };
const FOREIGN_HOST = { Host: 'elsewhere.example' };

test.describe('Access', () => {
  test('refuses requests of a foreign origin or host on any path', async ({ server }) => {
    const token = { Authorization: `Bearer ${server.connection.readToken}` };
    for (const path of ['/', '/healthz', '/api/v1/sessions', '/v1/ingest', '/connect']) {
      expect(await ask(server, path, { ...token, ...FOREIGN_ORIGIN }), path).toMatchObject({ status: 403 });
      expect(await ask(server, path, { ...token, ...FOREIGN_HOST }), path).toMatchObject({ status: 421 });
    }
    expect(await ask(server, '/api/v1/sessions', token)).toMatchObject({ status: 200 });
  });

  test('refuses sockets of a foreign origin or host', async ({ server }) => {
    const { ingestToken, readToken } = server.connection;
    for (const [path, token] of [
      ['/v1/live', readToken],
      ['/v1/ingest', ingestToken],
    ] as const) {
      const headers = { Authorization: `Bearer ${token}` };
      expect(await knock(server, path, { ...headers, ...FOREIGN_ORIGIN }), path).toBe(403);
      expect(await knock(server, path, { ...headers, ...FOREIGN_HOST }), path).toBe(421);
      expect(await knock(server, path, headers), path).toBe('open');
    }
  });

  test('refuses a page of another origin in the same browser', async ({ page, server, guard }) => {
    guard.allow(/./);
    await page.route('http://localhost:4999/', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<title>Elsewhere</title>' }),
    );
    await page.goto('http://localhost:4999/');
    const outcome = await page.evaluate(async (url) => {
      const read = await fetch(`${url}/api/v1/sessions`).then(
        (answer) => answer.status,
        () => 'blocked',
      );
      const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/live`);
      const live = await new Promise((resolve) => {
        socket.onopen = () => resolve('open');
        socket.onerror = () => resolve('refused');
      });
      return { read, live };
    }, server.url);
    expect(outcome).toEqual({ read: 'blocked', live: 'refused' });
  });

  test('requires a known token of the right scope', async ({ server }) => {
    const { ingestToken, readToken } = server.connection;
    const wrong = `bg_${'x'.repeat(40)}`;
    const read = (token: string | null) =>
      ask(server, '/api/v1/sessions', token === null ? {} : { Authorization: `Bearer ${token}` });
    expect(await read(null)).toMatchObject({ status: 401 });
    expect(await read(wrong)).toMatchObject({ status: 401 });
    expect(await read(ingestToken)).toMatchObject({ status: 403 });
    expect(await read(readToken)).toMatchObject({ status: 200 });
    expect(await knock(server, '/v1/live', {})).toBe(401);
    expect(await knock(server, '/v1/live', { Authorization: `Bearer ${wrong}` })).toBe(401);

    const inUrl = await ask(server, `/api/v1/sessions?token=${readToken}`, {});
    expect(inUrl.status).toBe(400);
    expect(inUrl.body).toContain('token_in_url');
  });

  test('reports a wrong token to the runner, which keeps its items', async ({
    server,
    project,
    api,
    connect,
  }) => {
    const client = connectRunner(server, { project, token: `bg_${'x'.repeat(40)}` });
    client.session(`${project}/locked-out`).turn({ usage: { input: 1, output: 1 } });
    await expect
      .poll(() => client.stats().state)
      .toMatchObject({ status: 'waiting', reason: 'unauthorized' });
    const { delivered, queued } = await client.close(1);
    expect({ delivered, queued }).toEqual({ delivered: false, queued: 1 });
    expect(await api.sessions({ project })).toEqual([]);

    const welcome = connect(server);
    welcome.session(`${project}/let-in`).turn({ usage: { input: 1, output: 1 } });
    expect(await welcome.flush()).toMatchObject({ delivered: true });
    expect((await api.sessions({ project })).map(({ key }) => key)).toEqual([`${project}/let-in`]);
  });
});
