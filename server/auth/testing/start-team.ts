/** For tests: the read API and the log-in requests of a server with accounts, and browsers that keep cookies. */
import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { serverUrlOf, setOwner } from '../../../db/access';
import { connect } from '../../../db/client';
import { inviteFirstAdmin } from '../../../db/queries/people';
import { createTestDatabase } from '../../../db/testing/test-database';
import { createSecretBox } from '../../alerts/secret-box';
import { createReadApi } from '../../api/create-read-api';
import { createBudgets } from '../../http/budgets';
import { createHttpServer } from '../../http/create-http-server';
import { createLiveEndpoint } from '../../live/create-live-endpoint';
import { readSettings, type SingleSignOn } from '../../settings';
import { createAccounts } from '../accounts';
import { createAuthenticator } from '../authenticator';
import { createAccountsEndpoint } from '../create-accounts-endpoint';

export type Team = Awaited<ReturnType<typeof startTeam>>;

export async function startTeam(singleSignOn: SingleSignOn | null = null) {
  const database = await createTestDatabase();
  const sql = connect(serverUrlOf(database.url), 4);
  setOwner(sql, database.sql);
  const log = pino({ level: 'silent' });
  const server = createHttpServer(log);
  const origin = `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`;
  const own = connect(serverUrlOf(database.url), 2);
  const accounts = await createAccounts({ sql, own, log, publicUrl: new URL(origin), singleSignOn });
  const authenticator = createAuthenticator(sql);
  const auth = { ...authenticator, findPerson: accounts.findPerson };
  const settings = { idleAfterMinutes: 10, sendsCommands: false };
  const secrets = createSecretBox(randomBytes(32));
  const budgets = createBudgets(readSettings('/nowhere').limits);
  const api = createReadApi({ sql, auth, accounts, settings, secrets, budgets, version: '1.2.3' });
  const live = await createLiveEndpoint({ sql, auth, epoch: 'e', log, settings, budgets });
  server.serve([
    { prefix: '/api/v1', endpoint: api },
    { prefix: '/v1/live', endpoint: live },
    { prefix: '/api/auth', endpoint: createAccountsEndpoint({ sql }, accounts) },
  ]);

  function openBrowser(address = '127.0.0.1') {
    const cookies = new Map<string, string>();
    async function ask(method: string, path: string, body?: unknown): Promise<Response> {
      const response = await fetch(path.startsWith('http') ? path : origin + path, {
        method,
        redirect: 'manual',
        headers: {
          origin,
          'x-forwarded-for': address,
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      return response;
    }
    return { ask, cookies };
  }

  async function join(secret: string, name: string, email: string) {
    const browser = openBrowser();
    const body = { name, email, password: PASSWORD, invitation: secret };
    const response = await browser.ask('POST', '/api/auth/sign-up/email', body);
    if (!response.ok) throw new Error(await response.text());
    return browser;
  }

  return {
    origin,
    sql: database.sql,
    url: database.url,
    openBrowser,
    join,
    joinFirstAdmin: async () => join((await inviteFirstAdmin(database.sql)) ?? '', 'Ana', 'ana@example.org'),
    async close(): Promise<void> {
      server.stopTaking();
      await live.close();
      await server.close(1_000);
      authenticator.close();
      await Promise.all([own, sql].map((client) => client.end({ timeout: 5 })));
      await database.close();
    },
  };
}

export const PASSWORD = 'correct horse battery';

/** The secret in an invitation's link. */
export async function secretOf(response: Response): Promise<string> {
  const { link } = (await response.json()) as { link: string };
  return new URL(link).hash.slice(1);
}
