/** For tests: the read API over a real socket, on its own database with a token of each scope. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorBody } from '../../../core/api/responses';
import { createToken, type TokenScope } from '../../../db/queries/tokens';
import { createTestDatabase, type TestDatabase } from '../../../db/testing/test-database';
import { createReadApi } from '../create-read-api';

type Headers = Record<string, string>;

export interface TestApi {
  database: TestDatabase;
  /** Address without a path. */
  origin: string;
  /** Headers of a program whose token is named after its scope, as in `a read`. */
  bearer(scope: TokenScope): Headers;
  /** Headers of a page of this server. */
  ownPage(): Headers;
  /** Send a request below `/api/v1`, with an admin token by default. An object is sent as JSON, a string unchanged. */
  ask(method: string, path: string, body?: unknown, headers?: Headers): Promise<Response>;
  close(): Promise<void>;
}

export const errorOf = async (response: Response) => errorBody.parse(await response.json()).error;

export async function startTestApi(now: () => number = Date.now): Promise<TestApi> {
  const database = await createTestDatabase();
  const { sql } = database;
  const tokens = new Map<TokenScope, string>();
  for (const scope of ['read', 'ingest', 'admin'] as const) {
    tokens.set(scope, await createToken(sql, { name: `a ${scope}`, scope }));
  }
  const settings = { host: '127.0.0.1', idleAfterMinutes: 10 };
  const api = createReadApi({ sql, settings, version: '1.2.3' }, now);
  const server = createServer((req, res) => {
    void api.handleRequest(req, res, new URL(req.url ?? '/', 'http://127.0.0.1'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const bearer = (scope: TokenScope): Headers => ({ authorization: `Bearer ${tokens.get(scope)}` });
  return {
    database,
    origin,
    bearer,
    ownPage: () => ({ 'sec-fetch-site': 'same-origin', origin }),
    ask: (method, path, body, headers = bearer('admin')) =>
      fetch(`${origin}/api/v1${path}`, {
        method,
        redirect: 'manual',
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    async close() {
      await new Promise((resolve) => server.close(resolve));
      await database.close();
    },
  };
}
