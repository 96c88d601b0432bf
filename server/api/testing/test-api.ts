/** For tests: the read API behind the real gate, on its own database with a token of each scope. */
import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { expect } from 'vitest';
import type * as z from 'zod';
import { errorBody } from '../../../core/api/responses';
import { createToken, TOKEN_SCOPES, type TokenScope } from '../../../db/queries/tokens';
import { createTestDatabase } from '../../../db/testing/test-database';
import { createSecretBox } from '../../alerts/secret-box';
import { createAuthenticator } from '../../auth/authenticator';
import { createHttpServer } from '../../http/create-http-server';
import { createReadApi } from '../create-read-api';

type Headers = Record<string, string>;

export async function errorOf(request: Response | Promise<Response>) {
  const response = await request;
  return { status: response.status, ...errorBody.parse(await response.json()).error };
}

export async function bodyOf<T extends z.ZodType>(
  shape: T,
  request: Response | Promise<Response>,
): Promise<z.output<T>> {
  const response = await request;
  expect([200, 201]).toContain(response.status);
  return shape.parse(await response.json());
}

export async function startTestApi(now: () => number = Date.now, sendsCommands = false) {
  const database = await createTestDatabase();
  const { sql } = database;
  const tokens = new Map<TokenScope, string>();
  for (const scope of TOKEN_SCOPES) {
    tokens.set(scope, await createToken(sql, { name: `a ${scope}`, scopes: [scope] }));
  }
  const auth = createAuthenticator(sql);
  const settings = { idleAfterMinutes: 10, sendsCommands };
  const secrets = createSecretBox(randomBytes(32));
  const endpoint = createReadApi({ sql, auth, settings, secrets, version: '1.2.3' }, now);
  const server = createHttpServer(pino({ level: 'silent' }));
  const origin = `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`;
  server.serve([{ prefix: '/api/v1', endpoint }]);
  /** Headers of a program with a token of this scope. The token's name is `a read` for scope read. */
  const bearer = (scope: TokenScope): Headers => ({ authorization: `Bearer ${tokens.get(scope)}` });
  /** Send a request below `/api/v1`, with an admin token by default. An object is sent as JSON, a string unchanged. */
  const ask = (method: string, path: string, body?: unknown, headers = bearer('admin')): Promise<Response> =>
    fetch(`${origin}/api/v1${path}`, {
      method,
      redirect: 'manual',
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  return {
    database,
    secrets,
    /** Address without a path. */
    origin,
    bearer,
    ownPage: (): Headers => ({ 'sec-fetch-site': 'same-origin', origin }),
    ask,
    /** Read with a token of scope read. */
    get: (path: string, headers: Headers = {}) =>
      ask('GET', path, undefined, { ...bearer('read'), ...headers }),
    async close(): Promise<void> {
      server.stopTaking();
      await server.close(1_000);
      auth.close();
      await database.close();
    },
  };
}
