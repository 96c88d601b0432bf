import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, createServer as createListener } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { beginProof, proveServer } from './prove-server';
import { answerIdentity, TEST_SECRET, TEST_SERVER } from './testing/identity';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

interface Heard {
  method: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** @param answer gets the request and the port of the server. */
async function serve(answer: (heard: Heard, port: number) => { status?: number; body: unknown } | null) {
  const heard: Heard[] = [];
  const server = createServer((req, res) => {
    let body = '';
    req.setEncoding('utf8').on('data', (part) => {
      body += part;
    });
    req.on('end', () => {
      const request = { method: req.method ?? '', headers: req.headers, body };
      heard.push(request);
      const { port } = server.address() as AddressInfo;
      const given = answer(request, port);
      if (given === null) req.socket.destroy();
      else res.writeHead(given.status ?? 200).end(JSON.stringify(given.body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push(server);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}

const server = TEST_SERVER;
const honest = { server, secret: TEST_SECRET };
const truth = (request: Heard, port: number) => answerIdentity(honest, port, request);

describe('a server on this machine', () => {
  it('proves its secret and reports its id, for any form of its address', async () => {
    const { url, heard } = await serve((...heard) => ({ body: truth(...heard) }));
    const proven = { type: 'proven', server: TEST_SERVER };
    expect(await proveServer(url, TEST_SECRET)).toEqual(proven);
    expect(await proveServer(url.replace('http', 'ws').concat('/v1/ingest'), TEST_SECRET)).toEqual(proven);
    const challenges = heard.map(({ body }) => body);
    expect(new Set(challenges).size).toBe(2);
  });

  it('gets neither token nor secret', async () => {
    const { url, heard } = await serve((...heard) => ({ body: truth(...heard) }));
    await proveServer(url, TEST_SECRET);
    expect(heard).toHaveLength(1);
    expect(heard[0]?.headers.authorization).toBeUndefined();
    expect(JSON.stringify(heard)).not.toContain(TEST_SECRET);
  });

  const forged = { ...honest, secret: 'ab'.repeat(32) };
  const elsewhere = { server: '00000000-0000-4000-8000-000000000002' };
  const other = { method: 'POST', body: JSON.stringify({ challenge: '0'.repeat(64) }) };
  it.each<[string, Parameters<typeof serve>[0]]>([
    ['knows another secret', (request, port) => ({ body: answerIdentity(forged, port, request) })],
    ['is at another port', (request, port) => ({ body: answerIdentity(honest, port - 1, request) })],
    ['has other data', (...heard) => ({ body: { ...truth(...heard), ...elsewhere } })],
    ['proves another challenge', (_, port) => ({ body: answerIdentity(honest, port, other) })],
    ['returns the challenge', ({ body }) => ({ body: { server, proof: JSON.parse(body).challenge } })],
    ['shows an invalid proof', () => ({ body: { server, proof: 'zz' } })],
    ['answers something else', () => ({ body: ['hello'] })],
    ['has no such path', () => ({ status: 404, body: {} })],
  ])('is unproven if it %s', async (_what, answer) => {
    const { url } = await serve(answer);
    const reason = `the program at ${url} is not the server of this machine`;
    expect(await proveServer(url, TEST_SECRET)).toEqual({ type: 'unproven', reason });
  });

  it('counts as away if it fails, disconnects or is not running', async () => {
    const ill = await serve(() => ({ status: 503, body: {} }));
    expect(await proveServer(ill.url, TEST_SECRET)).toMatchObject({ type: 'away' });
    const cut = await serve(() => null);
    expect(await proveServer(cut.url, TEST_SECRET)).toMatchObject({ type: 'away' });
    const reason = expect.stringContaining('ECONNREFUSED');
    expect(await proveServer('http://127.0.0.1:1', TEST_SECRET)).toMatchObject({ type: 'away', reason });
  });

  it('counts as away after a timeout, and when the caller cancels the proof', async () => {
    const mute = createListener(() => undefined).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const url = `http://127.0.0.1:${(mute.address() as AddressInfo).port}`;
    const reason = 'no answer within 0.05 s';
    expect(await proveServer(url, TEST_SECRET, 50)).toEqual({ type: 'away', reason });
    const proof = beginProof(url, TEST_SECRET);
    proof.drop();
    expect(await proof.result).toMatchObject({ type: 'away' });
    mute.close();
  });
});
