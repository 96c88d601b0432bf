/** Every route, message and topic × every actor. A route without a row fails. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { actorOf, ROLES } from '../../core/identity/roles';
import { TOKEN_SCOPES, type TokenScope } from '../../core/identity/token-scopes';
import { createTestFeed, testTurn } from '../../db/queries/testing-feed';
import { issueToken, revokeToken } from '../../db/queries/tokens';
import { createTestDatabase } from '../../db/testing/test-database';
import { startIngestServer } from '../ingest/testing/start-ingest-server';

const database = await createTestDatabase();
const { sql } = database;
/** People with a role in project a, by the cookie of their browser. */
const PEOPLE = ROLES.map((role) => {
  const person = {
    id: role,
    name: role,
    email: role,
    login: role,
    preferences: '',
    roles: [{ project: 'a', role }],
  };
  return { name: `${role} of a (person)`, role, cookie: `who=${role}`, actor: actorOf(person) };
});
// Wrong tokens are not slowed down, because the matrix sends many.
const server = await startIngestServer(database.url, 0, '', true, 0, null, {
  findPerson: async ({ cookie }) => PEOPLE.find((person) => person.cookie === cookie)?.actor ?? null,
});
afterAll(async () => {
  await server.close();
  await database.close();
});
const feed = await createTestFeed(sql, { project: 'a' });
await feed.tell(testTurn('planted', 1_000));
const [session] = await sql<{ id: string }[]>`select public_id as id from sessions where key = 'planted'`;

const make = (name: string, scopes: readonly TokenScope[], projects?: string[], expiresAt?: Date) =>
  issueToken(sql, { name, scopes, projects, expiresAt });
const revoked = await make('revoked', TOKEN_SCOPES);
await revokeToken(sql, revoked.token, 'test');
const past = new Date(Date.now() - 1_000);
const SECRETS: Record<string, string> = {
  none: '',
  unknown: `bg_${'x'.repeat(43)}`,
  revoked: revoked.secret,
  expired: (await make('expired', TOKEN_SCOPES, undefined, past)).secret,
  'ingest of a': (await make('ingest of a', ['ingest'], ['a'])).secret,
  'ingest of b': (await make('ingest of b', ['ingest'], ['b'])).secret,
  'archive of a': (await make('archive of a', ['archive'], ['a'])).secret,
  read: (await make('read', ['read'])).secret,
  admin: (await make('admin', ['admin'])).secret,
  'admin of a': (await make('admin of a', ['admin'], ['a'])).secret,
};
const SCOPE_OF: Record<string, TokenScope> = {
  'ingest of a': 'ingest',
  'ingest of b': 'ingest',
  'archive of a': 'archive',
  read: 'read',
  admin: 'admin',
  'admin of a': 'admin',
};
const ACTORS = [...Object.keys(SECRETS), ...PEOPLE.map(({ name }) => name)];

/** Scopes that a route admits, of whole servers: other actors get 403, and 401 without a valid token. */
const READ = ['read'];
const BOTH = ['read', 'admin'];
const ADMIN = ['admin'];
const API: Record<string, readonly string[]> = {
  'GET /sessions': READ,
  'GET /sessions/{id}': READ,
  'DELETE /sessions/{id}': ADMIN,
  'GET /sessions/{id}/evidence': READ,
  'GET /sessions/{id}/contexts': READ,
  'GET /sessions/{id}/compositions': READ,
  'GET /sessions/{id}/turns': READ,
  'GET /sessions/{id}/figures': READ,
  'GET /sessions/{id}/series': READ,
  'GET /sessions/{id}/sub-agents': READ,
  'GET /sessions/{id}/events': READ,
  'GET /sessions/{id}/notes': BOTH,
  'POST /sessions/{id}/notes': ADMIN,
  'PATCH /sessions/{id}/notes/{note}': ADMIN,
  'DELETE /sessions/{id}/notes/{note}': ADMIN,
  'GET /sessions/{id}/commands': BOTH,
  'POST /sessions/{id}/commands': ADMIN,
  'POST /sessions/{id}/mute': ADMIN,
  'GET /events': READ,
  'GET /events/{id}': READ,
  'GET /alerts': BOTH,
  'POST /alerts/{id}/acknowledge': ADMIN,
  'GET /alert-rules': BOTH,
  'POST /alert-rules': ADMIN,
  'PATCH /alert-rules/{id}': ADMIN,
  'DELETE /alert-rules/{id}': ADMIN,
  'POST /alert-rules/preview': ADMIN,
  'GET /alert-channels': BOTH,
  'POST /alert-channels': ADMIN,
  'PATCH /alert-channels/{id}': ADMIN,
  'DELETE /alert-channels/{id}': ADMIN,
  'POST /alert-channels/{id}/test': ADMIN,
  'GET /alert-deliveries': BOTH,
  'POST /alert-deliveries/{id}/retry': ADMIN,
  'GET /history': READ,
  'GET /history/sessions': READ,
  'GET /projects/{name}/settings': BOTH,
  'DELETE /projects/{name}': ADMIN,
  'DELETE /projects/{name}/runners/{runner}': ADMIN,
  'PATCH /projects/{name}/settings': ADMIN,
  'GET /projects/{name}/retention': BOTH,
  'GET /limits': BOTH,
  'GET /tokens': ADMIN,
  'POST /tokens': ADMIN,
  'POST /tokens/{id}/rotate': ADMIN,
  'DELETE /tokens/{id}': ADMIN,
  'GET /transcripts': READ,
  'GET /transcripts/{id}': READ,
  'GET /transcripts/{id}/content': ADMIN,
  'DELETE /transcripts/{id}': ADMIN,
  'GET /transcripts/{id}/outline': READ,
  'GET /transcripts/{id}/messages': READ,
  'GET /transcripts/{id}/search': READ,
  'GET /transcripts/{id}/lost': READ,
  'GET /transcripts/{id}/source': READ,
  'GET /transcripts/{id}/secrets': READ,
  'POST /transcripts/{id}/reveal': ADMIN,
  'GET /audit': BOTH,
  'GET /openapi.json': READ,
  'ALL /mcp': READ,
};

/** Changes that operators may make too. */
const OPERATED = /^(POST|PATCH|DELETE) \S*\/(notes|commands|mute|acknowledge)/;

/** Changes of what belongs to no project, and reads of it that are not limited to projects. */
const OF_SERVER =
  /^(POST|PATCH|DELETE) \S*\/alert-(rules|channels|deliveries)|^(GET|POST|DELETE) \S*\/tokens/;

/** Routes outside the read API. */
const OTHERS: Record<string, readonly string[]> = {
  'GET /v1/ingest': ['ingest'],
  'POST /v1/ingest': ['ingest'],
  'POST /v1/logs': ['ingest'],
  'POST /v1/metrics': ['ingest'],
  'POST /v1/traces': ['ingest'],
  'POST /v1/archives': ['archive'],
  [`PUT /v1/archives/${randomUUID()}/chunks/${'0'.repeat(64)}`]: ['archive'],
  [`POST /v1/archives/${randomUUID()}/complete`]: ['archive'],
};
/** Prefixes without a token: health, figures for this machine, an identity proof, topics below, the key of an agent. */
const OPEN = ['/livez', '/readyz', '/healthz', '/metrics', '/v1/identity', '/v1/live', '/v1/otlp'];

function headersOf(actor: string): Record<string, string> {
  const cookie = PEOPLE.find(({ name }) => name === actor)?.cookie;
  if (cookie !== undefined) return { cookie, origin: server.url };
  return SECRETS[actor] === '' ? {} : { authorization: `Bearer ${SECRETS[actor]}` };
}
const tell = (method: string, path: string, actor: string) =>
  fetch(server.url + path, {
    method: method === 'ALL' ? 'POST' : method,
    redirect: 'manual',
    headers: { 'content-type': 'application/json', ...headersOf(actor) },
    ...(method === 'GET' ? {} : { body: '{}' }),
  });

function expectedOf(actor: string, scopes: readonly string[], row = ''): 'admitted' | number {
  const person = PEOPLE.find(({ name }) => name === actor);
  if (person && !scopes.includes('read') && !scopes.includes('admin')) return 401;
  if (person?.role === 'operator' && OPERATED.test(row)) return 'admitted';
  const scope = person
    ? person.role === 'admin' && !scopes.includes('read')
      ? 'admin'
      : 'read'
    : SCOPE_OF[actor];
  if (scope === undefined) return 401;
  if (actor.startsWith('admin of a') && OF_SERVER.test(row)) return 403;
  return scopes.includes(scope) ? 'admitted' : 403;
}

const outcome = ({ status }: Response) => ([401, 403].includes(status) ? status : 'admitted');

/** Fills the parameters of a path. */
const fill = (path: string) =>
  path
    .replace('/sessions/{id}', `/sessions/${session?.id}`)
    .replace('{name}', 'unknown')
    .replaceAll(/\{\w+\}/g, randomUUID());

describe('the matrix of access', () => {
  it('has a row for every route', () => {
    const named = server.routes.map(
      ({ method, path }) => `${method} ${path.replace('/api/v1', '').replaceAll(/:(\w+)/g, '{$1}')}`,
    );
    expect([...new Set(named)].sort()).toEqual(Object.keys(API).sort());
    const covered = [...Object.keys(OTHERS).map((row) => row.split(' ')[1] ?? ''), ...OPEN, '/api/v1'];
    const bare = server.prefixes.filter((prefix) => !covered.some((path) => path.startsWith(prefix)));
    expect(bare).toEqual([]);
  });

  const rows = [
    ...Object.entries(API).map(([row, scopes]) => [row.replace(' /', ' /api/v1/'), scopes] as const),
    ...Object.entries(OTHERS),
  ];
  it.each(rows)('%s', async (row, scopes) => {
    const [method = '', path = ''] = row.split(' ');
    // A note of commands that are off is a refusal of the server, not of the actor.
    const isOff = row.startsWith('POST') && row.endsWith('/commands');
    for (const actor of ACTORS) {
      const response = await tell(method, fill(path), actor);
      const body = await response.text();
      const found = isOff && body.includes('commands_off') ? 'admitted' : outcome(response);
      expect([actor, found]).toEqual([actor, expectedOf(actor, scopes, row)]);
    }
  });

  it.each(['fleet', 'events', 'turns', 'alerts', 'session'])('topic %s', async (topic) => {
    for (const actor of ACTORS) {
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/live`, {
        headers: headersOf(actor),
      });
      socket.on('error', () => undefined);
      const first = await Promise.race([
        once(socket, 'open').then(() => 'admitted'),
        once(socket, 'unexpected-response').then(([, { statusCode }]) => statusCode as number),
      ]);
      expect([actor, first]).toEqual([actor, expectedOf(actor, READ)]);
      if (first === 'admitted') {
        socket.send(
          JSON.stringify({ type: 'subscribe', topic, ...(topic === 'session' && { id: session?.id }) }),
        );
        await once(socket, 'message');
      }
      socket.terminate();
    }
  });
});

describe('an ingest token of project b, on what project a has', () => {
  const post = async (project: string, names: object, ...items: object[]) => {
    const hello = {
      type: 'hello',
      v: 1,
      project,
      runner: { name: 'r' },
      stream: randomUUID(),
      source: 'hook',
    };
    const numbered = items.map((item, index) => ({ seq: index + 1, at: Date.now(), ...item }));
    const response = await fetch(`${server.url}/v1/ingest`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...headersOf(`ingest of ${project === 'a' ? 'a' : 'b'}`),
      },
      body: JSON.stringify([{ ...hello, ...names }, ...numbered]),
    });
    return { status: response.status, body: (await response.json()) as { refused: object[] } };
  };
  const stateOf = async () =>
    sql`select s.key, s.title, s.turn_count, s.ended_at, s.adopted_by, s.version, p.name as project
      from sessions s join projects p on p.id = s.project_id where p.name = 'a' order by s.id`;
  const ofClient = { client: 'claude-code' };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheCreation: 0 };

  it('refuses a hello that names the project', async () => {
    const hello = { type: 'hello', v: 1, project: 'a', runner: { name: 'r' }, stream: randomUUID() };
    const response = await fetch(`${server.url}/v1/ingest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headersOf('ingest of b') },
      body: JSON.stringify([hello, { type: 'turn', seq: 1, session: 'planted', at: 1, usage }]),
    });
    expect([response.status, await response.json()]).toMatchObject([403, { code: 'not_yours' }]);
  });

  it.each([
    ['turn', { usage }],
    ['session_start', { title: 'forged' }],
    ['session_end', { reason: 'forged' }],
    ['compaction', { trigger: 'auto', state: 'confirmed' }],
    ['clear', {}],
    ['restart', { continuation: 9, reason: 'forged' }],
    ['reading', { contextTokens: 9, basis: 'total' }],
    ['compress', { before: 9, after: 1, removed: 1 }],
    ['gap', { from: 1, to: 1, count: 1, reason: 'forged' }],
    ['archive', { state: 'stored', trigger: 'auto', archive: randomUUID() }],
    ['session_alias', { client: 'claude-code', clientSessionId: 'other-id' }],
    ['command_state', { command: randomUUID(), action: 'stop', state: 'done' }],
  ])('refuses a forged %s', async (type, fields) => {
    const name = `client-${type}`;
    const own = await post('a', ofClient, { type: 'session_start', session: name, title: 'ours' });
    expect(own.body.refused).toEqual([]);
    const before = await stateOf();
    const { status, body } = await post('b', ofClient, { type, session: name, ...fields });
    expect([status, body.refused]).toMatchObject([200, [{ code: 'not_yours', field: 'session' }]]);
    expect(await stateOf()).toEqual(before);
  });

  it('adopts nothing by a client id of the project', async () => {
    await post('a', ofClient, { type: 'session_start', session: 'claimed', title: 'ours' });
    const before = await stateOf();
    const claim = {
      type: 'session_alias',
      session: 'mine',
      client: 'claude-code',
      clientSessionId: 'claimed',
    };
    const claimed = await post('b', {}, claim);
    expect(claimed.body.refused).toMatchObject([{ code: 'not_yours', field: 'clientSessionId' }]);
    expect(await stateOf()).toEqual(before);
  });

  it('writes a session of its own under a key that the project uses', async () => {
    const before = await stateOf();
    const { body } = await post('b', {}, { type: 'turn', session: 'planted', usage });
    expect(body.refused).toEqual([]);
    expect(await stateOf()).toEqual(before);
  });
});
