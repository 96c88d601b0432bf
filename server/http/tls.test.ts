import { webcrypto } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePort } from '../../core/testing/free-port';
import { createHttpServer, type HttpServer } from './create-http-server';
import { readProxies } from './peer';

const NAME = 'barograph.test';
const folder = mkdtempSync(join(tmpdir(), 'barograph-tls-'));
const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
let server: HttpServer;
let cert: string;
let ports = { plain: 0, tls: 0 };

beforeAll(async () => {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const made = await X509CertificateGenerator.createSelfSigned(
    {
      name: `CN=${NAME}`,
      notBefore: new Date(Date.now() - 86_400_000),
      notAfter: new Date(Date.now() + 86_400_000),
      signingAlgorithm: algorithm,
      keys,
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new SubjectAlternativeNameExtension([{ type: 'dns', value: NAME }]),
      ],
    },
    webcrypto as Crypto,
  );
  cert = made.toString('pem');
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  writeFileSync(files.certFile, cert);
  writeFileSync(files.keyFile, PemConverter.encode(key, 'PRIVATE KEY'));
  const tls = await findFreePort();
  server = createHttpServer(pino({ level: 'silent' }), {
    publicUrl: new URL(`https://${NAME}:${tls}`),
    proxies: readProxies([]),
    tls: { host: '127.0.0.1', port: tls, ...files },
  });
  ports = { tls, plain: await server.listen(0, '127.0.0.1') };
  const endpoint = {
    handleRequest: async (_: unknown, res: import('node:http').ServerResponse, url: URL) =>
      void res.end(url.href),
    close: async () => undefined,
  };
  server.serve([{ prefix: '/', endpoint }]);
});
afterAll(async () => {
  server.stopTaking();
  await server.close(1_000);
  rmSync(folder, { recursive: true });
});

function ask(
  headers: Record<string, string>,
): Promise<{ status: number; text: string; hsts: string | undefined }> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: ports.tls, servername: NAME, ca: cert, path: '/x', headers };
    request(options, (response) => {
      let text = '';
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () => {
        const hsts = response.headers['strict-transport-security'];
        resolve({ status: response.statusCode ?? 0, text, hsts });
      });
    })
      .on('error', reject)
      .end();
  });
}

test('serves its public name with a certificate of its own, and asks for TLS in future', async () => {
  const host = `${NAME}:${ports.tls}`;
  const answer = await ask({ host, origin: `https://${host}` });
  expect(answer).toEqual({ status: 200, text: `https://${host}/x`, hsts: 'max-age=31536000' });
});

test('refuses other names, and pages of other origins', async () => {
  const host = `${NAME}:${ports.tls}`;
  expect((await ask({ host: 'other.test' })).status).toBe(421);
  expect((await ask({ host: NAME })).status).toBe(421);
  expect((await ask({ host, origin: `http://${host}` })).status).toBe(403);
  expect((await ask({ host, origin: `https://${NAME}` })).status).toBe(403);
});

test('keeps the loopback address for commands of this machine, without HSTS', async () => {
  const response = await fetch(`http://127.0.0.1:${ports.plain}/x`);
  expect(response.status).toBe(200);
  expect(response.headers.get('strict-transport-security')).toBeNull();
});
