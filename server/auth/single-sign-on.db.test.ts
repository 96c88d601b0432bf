import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { secretOf, startTeam, type Team } from './testing/start-team';

let team: Team;
let idp: Server;
let issuer: string;
let provider: Provider | undefined;
const client = { client_id: 'barograph', client_secret: 'a secret of the test' };

beforeAll(async () => {
  idp = createServer((req, res) =>
    // The server starts before its provider, and looks for it again at a log-in.
    provider ? provider.callback()(req, res) : res.writeHead(503).end(),
  );
  idp.listen(0, '127.0.0.1');
  await once(idp, 'listening');
  issuer = `http://127.0.0.1:${(idp.address() as AddressInfo).port}`;
  team = await startTeam({ issuer, clientId: client.client_id, clientSecret: client.client_secret });
  provider = new Provider(issuer, {
    clients: [{ ...client, redirect_uris: [`${team.origin}/api/auth/callback/sso`] }],
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({ sub: id, name: id, email: `${id}@example.org`, email_verified: id !== 'mallory' }),
    }),
  });
});
afterAll(async () => {
  idp.close();
  await team.close();
});

/** Logs in at the provider as a browser does, and returns to the server. */
async function logIn(name: string) {
  const browser = team.openBrowser();
  const body = { provider: 'sso', callbackURL: '/', errorCallbackURL: '/login' };
  const begun = await browser.ask('POST', '/api/auth/sign-in/social', body);
  let target = ((await begun.json()) as { url: string }).url;
  const cookies = new Map<string, string>();
  let form: URLSearchParams | null = null;
  for (let step = 0; step < 20; step += 1) {
    if (target.startsWith(team.origin)) return { browser, back: await browser.ask('GET', target) };
    const response: Response = await fetch(target, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([key, value]) => `${key}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: form }),
    });
    form = null;
    for (const cookie of response.headers.getSetCookie()) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(key, value);
    }
    const location = response.headers.get('location');
    if (location !== null) target = new URL(location, target).href;
    else {
      const page = await response.text();
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? '';
      target = new URL(/action="([^"]+)"/.exec(page)?.[1] ?? '', target).href;
      form = new URLSearchParams({ prompt, login: name, password: 'any' });
    }
  }
  throw new Error('The provider did not return to the server.');
}

it('logs in an invited person by the address that the provider has verified', async () => {
  const ana = await team.joinFirstAdmin();
  for (const name of ['ben', 'mallory']) {
    await secretOf(
      await ana.ask('POST', '/api/v1/invitations', {
        email: `${name}@example.org`,
        project: 'a',
        role: 'operator',
      }),
    );
  }
  const { browser, back } = await logIn('ben');
  expect(back.headers.get('location')).toBe('/');
  expect((await browser.ask('GET', '/api/v1/sessions')).status).toBe(200);
  const rows = await team.sql`
    select p.email, r.project, r.role, c.access_token, c.id_token
    from people p join roles r on r.person_id = p.id join credentials c on c.user_id = p.id where p.name = 'ben'`;
  expect(rows).toEqual([
    { email: 'ben@example.org', project: 'a', role: 'operator', access_token: null, id_token: null },
  ]);
});

it.each(['mallory', 'stranger'])('refuses %s without a verified and invited address', async (name) => {
  const { browser, back } = await logIn(name);
  expect(back.headers.get('location')).toMatch(/^\/login\?error=/);
  expect((await browser.ask('GET', '/api/v1/sessions')).status).toBe(401);
});

it('logs in a person with a password by single sign-on as the same person', async () => {
  const { browser } = await logIn('ana');
  const people = await (await browser.ask('GET', '/api/v1/people')).json();
  expect(people).toMatchObject({ people: [{ name: 'Ana', email: 'ana@example.org' }, { name: 'ben' }] });
});
