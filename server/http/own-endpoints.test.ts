import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proofText } from '../../core/settings/connection-file';
import { createIdentityEndpoint } from './own-endpoints';

const identity = {
  server: '00000000-0000-4000-8000-000000000001',
  version: '1.2.3',
  secret: '5e'.repeat(32),
  port: 4680,
};
const challenge = 'c0'.repeat(32);
let server: Server;
let url: string;
beforeAll(async () => {
  const endpoint = createIdentityEndpoint(identity);
  server = createServer(
    (req, res) => void endpoint.handleRequest(req, res, new URL('http://127.0.0.1/v1/identity')),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/identity`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const post = (body: string, type = 'application/json') =>
  fetch(url, { method: 'POST', headers: { 'content-type': type }, body });

describe('/v1/identity', () => {
  it('returns the id of this server', async () => {
    const answer = await fetch(url);
    expect(await answer.json()).toEqual({ server: identity.server, version: '1.2.3' });
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('proves a challenge without revealing the secret', async () => {
    const answer = await post(JSON.stringify({ challenge }));
    const text = await answer.text();
    const proof = createHmac('sha256', identity.secret)
      .update(proofText({ challenge, server: identity.server, port: 4680 }))
      .digest('hex');
    expect(JSON.parse(text)).toEqual({ server: identity.server, version: '1.2.3', proof });
    expect(text).not.toContain(identity.secret);
  });

  it.each([
    ['', 400],
    ['{}', 400],
    ['[]', 400],
    ['null', 400],
    [JSON.stringify({ challenge: challenge.toUpperCase() }), 400],
    [JSON.stringify({ challenge: `${challenge}\n` }), 400],
    [JSON.stringify({ challenge: [challenge] }), 400],
    [JSON.stringify({ challenge: 'c'.repeat(2_000) }), 413],
  ])('refuses the challenge %j', async (body, status) => {
    const answer = await post(body);
    expect(answer.status).toBe(status);
    expect(await answer.text()).not.toContain('proof');
  });

  it('refuses other methods', async () => {
    expect((await post('{}', 'text/plain')).status).toBe(415);
    const answer = await fetch(url, { method: 'DELETE' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
  });
});
