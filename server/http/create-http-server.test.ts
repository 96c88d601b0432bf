import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import pino from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { refuseUpgrade } from './answers';
import { createHttpServer, type HttpServer } from './create-http-server';
import type { Endpoint } from './endpoint';

const servers: HttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.stopTaking();
    await server.close(100);
  }
});

const named = (name: string): Endpoint => ({
  handleRequest: (_, res) => {
    res.end(name);
    return Promise.resolve();
  },
  close: () => Promise.resolve(),
});

async function start(endpoints: Record<string, Endpoint>, log = pino({ level: 'silent' })) {
  const server = createHttpServer(log);
  servers.push(server);
  const port = await server.listen(0, '127.0.0.1');
  server.serve(Object.entries(endpoints).map(([prefix, endpoint]) => ({ prefix, endpoint })));
  return { server, port, url: `http://127.0.0.1:${port}` };
}

/** Send raw lines and read until the server closes the connection. */
async function talk(port: number, lines: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end(`${lines.join('\r\n')}\r\n\r\n`);
  return readAll(socket);
}

async function readAll(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(socket, 'close');
  return text;
}

const upgradeLines = (path: string, extra: string[] = []) => [
  `GET ${path} HTTP/1.1`,
  'Host: localhost',
  'Connection: Upgrade',
  'Upgrade: websocket',
  ...extra,
];

describe('HTTP server', () => {
  it('logs refused requests once per minute, without keys and tokens', async () => {
    const lines: string[] = [];
    const refuse: Endpoint = {
      ...named(''),
      async handleRequest(_, res, url) {
        res.writeHead(Number(url.searchParams.get('status'))).end();
      },
    };
    const { url } = await start({ '/api': refuse }, pino({}, { write: (line: string) => lines.push(line) }));
    for (const status of [401, 403, 403, 429, 200, 404]) {
      const headers = { authorization: 'Bearer bg_secret' };
      await fetch(`${url}/api/sessions/planted?status=${status}`, { headers });
    }
    await expect.poll(() => lines.length).toBe(3);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(
      [401, 403, 429].map((status) => ({ status, address: '127.0.0.1', route: '/api' })),
    );
    expect(lines.join()).not.toMatch(/planted|bg_/);
  });

  it('logs refusals of the gate and of sockets, without what the client wrote', async () => {
    const lines: string[] = [];
    const refuse: Endpoint = {
      ...named(''),
      handleUpgrade: (_, socket) => refuseUpgrade(socket, 401, 'unauthorized', 'planted'),
    };
    const { port } = await start({ '/v1': refuse }, pino({}, { write: (line: string) => lines.push(line) }));
    const planted = ['X-Barograph-Address: planted', 'Authorization: Bearer bg_planted'];
    const foreign = ['Host: planted.example', 'Connection: close', ...planted];
    for (let n = 0; n < 3; n += 1) {
      await talk(port, ['GET /v1/planted HTTP/1.1', ...foreign]);
      await talk(port, upgradeLines('/v1/planted', planted));
      await talk(port, upgradeLines('/v1/planted', ['Origin: http://planted.example']));
    }
    const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(logged.map(({ status, address, route }) => [status, address, route])).toEqual([
      [421, '127.0.0.1', 'foreign_host'],
      [401, '127.0.0.1', '/v1'],
      [403, '127.0.0.1', 'foreign_origin'],
    ]);
    expect(lines.join()).not.toContain('planted');
  });

  it('routes by the longest prefix of whole path segments', async () => {
    const { url } = await start({
      '/': named('pages'),
      '/v1': named('nothing'),
      '/v1/ingest': named('ingest'),
    });
    const get = async (path: string) => (await fetch(`${url}${path}`)).text();
    expect(await get('/v1/ingest')).toBe('ingest');
    expect(await get('/v1/ingest/x?y')).toBe('ingest');
    expect(await get('/v1/ingestion')).toBe('nothing');
    expect(await get('/v10')).toBe('pages');
  });

  it('sets the security headers on every answer, refusals included', async () => {
    const { url, port } = await start({ '/a': named('a') });
    const answers = [await fetch(`${url}/a`), await fetch(`${url}/none`)];
    for (const { headers } of answers) {
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    }
    const refused = await talk(port, ['GET /a HTTP/1.1', 'Host: evil.example', 'Connection: close']);
    expect(refused).toMatch(/^HTTP\/1.1 421 [\s\S]*content-security-policy[\s\S]*foreign_host/i);
  });

  it('refuses requests and sockets of foreign pages', async () => {
    let calls = 0;
    const counting: Endpoint = {
      ...named('x'),
      handleRequest: (_, res) => {
        calls += 1;
        res.end();
        return Promise.resolve();
      },
      handleUpgrade: (_, socket) => {
        calls += 1;
        socket.destroy();
      },
    };
    const { url, port } = await start({ '/x': counting });
    expect((await fetch(`${url}/x`, { headers: { origin: 'http://evil.example' } })).status).toBe(403);
    expect(await talk(port, upgradeLines('/x', ['Origin: http://evil.example']))).toMatch(/^HTTP\/1.1 403 /);
    const absolute = ['GET http://evil.example/x HTTP/1.1', 'Host: localhost', 'Connection: close'];
    expect(await talk(port, absolute)).toMatch(/^HTTP\/1.1 400 /);
    expect(calls).toBe(0);
  });

  it('refuses a path with invalid escapes before an endpoint sees it', async () => {
    const { url } = await start({ '/': named('pages') });
    for (const path of ['/%', '/sessions/%E0%A4%A', '/a/%ff']) {
      const answer = await fetch(`${url}${path}`);
      expect(answer.status, path).toBe(400);
      expect(await answer.json(), path).toMatchObject({ error: { code: 'bad_target' } });
    }
    expect((await fetch(`${url}/sessions/%F0%9F%90%98`)).status).toBe(200);
  });

  it('answers 404 to an upgrade without an endpoint, and closes it', async () => {
    const { port } = await start({ '/': named('pages') });
    expect(await talk(port, upgradeLines('/'))).toMatch(/^HTTP\/1.1 404 Not Found\r\nConnection: close\r\n/);
  });

  it('answers 500 without details when an endpoint throws, and keeps running', async () => {
    const failing: Endpoint = { ...named('x'), handleRequest: () => Promise.reject(new Error('secret')) };
    const { url } = await start({ '/x': failing, '/y': named('y') });
    const answer = await fetch(`${url}/x`);
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('secret');
    expect(await (await fetch(`${url}/y`)).text()).toBe('y');
  });

  it.each([
    ['53100', 'disk_full', "The disk of the server's database is full."],
    ['ECONNREFUSED', 'unavailable', 'The server cannot reach its database at the moment.'],
  ])('answers 503 with the reason for a database failure: %s', async (code, name, reason) => {
    const error = Object.assign(new Error('secret'), { code });
    const failing: Endpoint = { ...named('x'), handleRequest: () => Promise.reject(error) };
    const { url } = await start({ '/x': failing });
    const answer = await fetch(`${url}/x`);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toEqual({ error: { code: name, reason } });
  });

  it.each([
    ['/v1/ingest', { type: 'error', code: 'starting', reason: 'The server is starting.' }],
    ['/v1/ingest/x?y', { type: 'error', code: 'starting', reason: 'The server is starting.' }],
    ['/v1/ingestion', { error: { code: 'starting', reason: 'The server is starting.' } }],
    ['/api/v1/sessions', { error: { code: 'starting', reason: 'The server is starting.' } }],
  ])('answers requests and sockets of %s while it starts', async (path, body) => {
    const { url, port } = await start({});
    const answer = await fetch(url + path);
    expect([answer.status, await answer.json()]).toEqual([503, body]);
    const [head = '', text = ''] = (await talk(port, upgradeLines(path))).split('\r\n\r\n');
    expect([head.split(' ')[1], JSON.parse(text)]).toEqual(['503', body]);
  });

  it('finishes the current request when it stops, and accepts no new connection', async () => {
    let finish: () => void = () => undefined;
    let begun: () => void = () => undefined;
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const slow: Endpoint = {
      ...named('x'),
      handleRequest: (_, res) =>
        new Promise((resolve) => {
          finish = () => {
            res.end('done');
            resolve();
          };
          begun();
        }),
    };
    const { server, url } = await start({ '/x': slow });
    const answer = fetch(`${url}/x`, { headers: { connection: 'close' } });
    await hasBegun;
    server.stopTaking();
    await expect(fetch(`${url}/x`)).rejects.toThrow();
    finish();
    expect(await (await answer).text()).toBe('done');
    await server.close(10_000);
  });

  it('closes connections without a request at once when it stops', async () => {
    const { server, port } = await start({});
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    // The answer to a later connection shows that the server has the first one, too.
    await talk(port, ['GET / HTTP/1.1', 'Host: localhost', 'Connection: close']);
    const ended = once(socket, 'close');
    server.stopTaking();
    await server.close(60_000);
    await ended;
  });
});
