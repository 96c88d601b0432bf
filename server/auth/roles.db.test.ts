import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { sessionId } from '../../core/identity/session-id';
import { setRole } from '../../db/queries/people';
import { createTestFeed, testTurn } from '../../db/queries/testing-feed';
import { handOver } from '../../db/transcripts/transcripts-testing';
import { secretOf, startTeam, type Team } from './testing/start-team';

/** Every text of project b contains this word. */
const PLANTED = 'borealisword';

let team: Team;
let ana: Awaited<ReturnType<Team['join']>>;
const member = new Map<string, Awaited<ReturnType<Team['join']>>>();
const transcript: Record<string, string> = {};
const ids = { a: sessionId('a', 'one'), b: sessionId(PLANTED, PLANTED) };

async function fill(project: string, key: string): Promise<void> {
  const feed = await createTestFeed(team.sql, { project, runner: `${key}-runner` });
  const archive = randomUUID();
  await feed.tell(
    {
      type: 'session_start',
      session: key,
      title: `title ${key}`,
      model: `${key}-model`,
      lens: 'snapshot',
      limit: 10_000,
    },
    testTurn(key, 9_900),
    { type: 'archive', session: key, state: 'stored', archive, trigger: 'auto' },
    { type: 'compaction', session: key, trigger: 'auto', state: 'confirmed', boundary: `${key}-boundary` },
    testTurn(key, 1_000),
  );
  const file = Buffer.from(`{"type":"user","message":{"role":"user","content":"text ${key}"}}\n`);
  const { result } = await handOver(team.sql, file, {
    project,
    session: key,
    archive,
    fileName: `${key}.jsonl`,
  });
  transcript[project] = result.id;
}

beforeAll(async () => {
  team = await startTeam();
  ana = await team.joinFirstAdmin();
  await fill('a', 'one');
  await fill(PLANTED, PLANTED);
  for (const role of ['viewer', 'operator', 'admin']) {
    const email = `${role}@example.org`;
    const secret = await secretOf(
      await ana.ask('POST', '/api/v1/invitations', { email, project: 'a', role }),
    );
    member.set(role, await team.join(secret, role, email));
  }
});
afterAll(() => team.close());

const as = (role: string) => {
  const browser = member.get(role);
  if (!browser) throw new Error(`no member is ${role}`);
  return browser;
};

/** Paths of the reads, with the ids of project b in them. */
async function readPaths(): Promise<string[]> {
  const document = (await (await ana.ask('GET', '/api/v1/openapi.json')).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  return Object.entries(document.paths).flatMap(([path, methods]) => {
    if (!('get' in methods)) return [];
    const id = path.startsWith('/transcripts') ? transcript[PLANTED] : ids.b;
    return [
      path
        .replace('{id}', path.startsWith('/events') ? `${ids.b}.1.compaction` : (id ?? ''))
        .replace('{name}', PLANTED),
    ];
  });
}

describe('the roles of a project', () => {
  it('show nothing of another project in any read', async () => {
    const paths = await readPaths();
    expect(paths.length).toBeGreaterThan(25);
    const own = [
      `q=${PLANTED}`,
      `project=${PLANTED}`,
      `session=${ids.b}`,
      'by=project',
      'by=runner',
      'by=model',
      'format=csv',
    ];
    let seenByAna = 0;
    for (const path of paths) {
      for (const query of ['', ...own]) {
        const target = `/api/v1${path}${query === '' ? '' : `?${query}`}`;
        if ((await (await ana.ask('GET', target)).text()).includes(PLANTED)) seenByAna += 1;
        for (const role of ['viewer', 'admin']) {
          const response = await as(role).ask('GET', target);
          const text = await response.text();
          const isEcho = response.status >= 400;
          if (!isEcho) expect(text, `${role} reads ${target}`).not.toContain(PLANTED);
        }
      }
    }
    // The data is there, and shown to the admin of the server.
    expect(seenByAna).toBeGreaterThan(20);
  });

  it.each([
    ['POST', `/sessions/${ids.b}/notes`, { at: new Date().toISOString(), text: 'x' }],
    ['POST', `/sessions/${ids.b}/commands`, { action: 'stop' }],
    ['POST', `/sessions/${ids.b}/mute`, { minutes: 5 }],
    ['DELETE', `/sessions/${ids.b}`, undefined],
    ['PATCH', `/projects/${PLANTED}/settings`, { version: 'x', thresholds: {} }],
  ])('refuse an admin of another project: %s %s', async (method, path, body) => {
    const response = await as('admin').ask(method, `/api/v1${path}`, body);
    expect([403, 404]).toContain(response.status);
  });

  it('answer for data of another project as for unknown data', async () => {
    const document = (await (await ana.ask('GET', '/api/v1/openapi.json')).json()) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const bodies = { note: { at: new Date().toISOString(), text: 'x' }, reason: { reason: 'x' } };
    const differing: string[] = [];
    for (const [path, methods] of Object.entries(document.paths)) {
      if (!/\{(id|name)\}/.test(path) || path.startsWith('/people')) continue;
      const own = path.startsWith('/transcripts') ? transcript[PLANTED] : ids.b;
      const event = path.startsWith('/events') ? '.1.compaction' : '';
      const fill = (id: string, name: string) =>
        path.replace('{id}', id + event).replaceAll(/\{\w+\}/g, name);
      for (const method of Object.keys(methods).map((name) => name.toUpperCase())) {
        for (const role of ['viewer', 'operator', 'admin']) {
          const ask = async (id: string, name: string) => {
            const body = method === 'GET' ? undefined : path.endsWith('notes') ? bodies.note : bodies.reason;
            const answer = await as(role).ask(method, `/api/v1${fill(id, name)}`, body);
            return `${answer.status} ${(await answer.text()).replaceAll(id, 'ID').replaceAll(name, 'NAME')}`;
          };
          const [there, unknown] = [
            await ask(own ?? '', PLANTED),
            await ask(crypto.randomUUID(), 'unknown-name'),
          ];
          if (there !== unknown) differing.push(`${role} ${method} ${path}: ${there} / ${unknown}`);
        }
      }
    }
    expect(differing).toEqual([]);
  });

  it('show nothing of another project to an agent over MCP', async () => {
    const rpc = async (method: string, params: object) => {
      const { cookies } = as('viewer');
      const answer = await fetch(`${team.origin}/api/v1/mcp`, {
        method: 'POST',
        headers: {
          origin: team.origin,
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      return answer.text();
    };
    const tools = [...(await rpc('tools/list', {})).matchAll(/"name":"(\w+)"/g)].map(([, name]) => name);
    expect(tools.length).toBeGreaterThan(2);
    const args = [{}, { query: PLANTED }, { project: PLANTED }, { transcript: transcript[PLANTED] }];
    for (const name of tools)
      for (const given of args) {
        const text = await rpc('tools/call', { name, arguments: given });
        expect(text, `${name} ${JSON.stringify(given)}`).not.toMatch(/(text|title) borealisword/);
      }
  });

  it('cannot use all connections of the database by reading', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 300 }, async () => (await as('viewer').ask('GET', '/api/v1/history')).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
  });

  it('refuse the transcript of another project to its admin', async () => {
    const path = `/api/v1/transcripts/${transcript[PLANTED]}`;
    expect((await as('admin').ask('GET', `${path}/content`)).status).toBe(404);
    expect((await as('admin').ask('POST', `${path}/reveal`, { secrets: [1], reason: 'x' })).status).not.toBe(
      200,
    );
    expect((await as('admin').ask('DELETE', path, { reason: 'x' })).status).toBe(404);
  });

  it('let viewers read, operators act, and admins change', async () => {
    const note = (role: string) =>
      as(role).ask('POST', `/api/v1/sessions/${ids.a}/notes`, {
        at: new Date().toISOString(),
        text: role,
        author: 'Eve',
      });
    const settings = async (role: string) => {
      const path = '/api/v1/projects/a/settings';
      const { version } = (await (await as(role).ask('GET', path)).json()) as { version: string };
      return (await as(role).ask('PATCH', path, { version, thresholds: { warning: 0.8 } })).status;
    };
    for (const role of ['viewer', 'operator', 'admin']) {
      expect((await as(role).ask('GET', `/api/v1/sessions/${ids.a}`)).status).toBe(200);
    }
    expect((await note('viewer')).status).toBe(403);
    const written = await note('operator');
    // The account signs, not the name in the request.
    expect(await written.json()).toMatchObject({ author: 'operator' });
    expect(await settings('viewer')).toBe(403);
    expect(await settings('operator')).toBe(403);
    expect(await settings('admin')).toBe(200);
    for (const [method, path] of [
      ['POST', '/alert-rules/preview'],
      ['GET', '/people'],
    ] as const) {
      expect(
        (await as('operator').ask(method, `/api/v1${path}`, method === 'POST' ? {} : undefined)).status,
      ).toBe(403);
    }
    expect((await as('admin').ask('POST', '/api/v1/alert-channels', {})).status).toBe(403);
  });

  it('limit the live feed, and close it after the role is gone', async () => {
    const browser = as('viewer');
    const socket = new WebSocket(`${team.origin.replace('http', 'ws')}/v1/live`, {
      origin: team.origin,
      headers: { cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    const frames: string[] = [];
    socket.on('message', (data) => frames.push(String(data)));
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    for (const topic of ['fleet', 'events', 'turns', 'alerts'])
      socket.send(JSON.stringify({ type: 'subscribe', topic }));
    socket.send(JSON.stringify({ type: 'subscribe', topic: 'session', id: ids.b }));
    await expect
      .poll(() => frames.filter((frame) => /fleet_snapshot|events_snapshot|not_found/.test(frame)).length)
      .toBe(3);
    expect(frames.join('')).toContain('title one');
    expect(frames.join('')).not.toContain(PLANTED);
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    const [row] = await team.sql`select id from people where name = 'viewer'`;
    await setRole(team.sql, String(row?.id), 'a', null);
    expect(await closed).toBe(4401);
  });
});
