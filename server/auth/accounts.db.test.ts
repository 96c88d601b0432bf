import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Note } from '../../core/api/notes';
import { inviteFirstAdmin } from '../../db/queries/people';
import { createTestFeed, testTurn } from '../../db/queries/testing-feed';
import { findPlanted } from '../../db/testing/find-planted';
import { PASSWORD, secretOf, startTeam, type Team } from './testing/start-team';

let team: Team;
let ana: Awaited<ReturnType<Team['join']>>;
beforeAll(async () => {
  team = await startTeam();
  ana = await team.joinFirstAdmin();
});
afterAll(() => team.close());

const statusOf = async (response: Promise<Response>): Promise<number> => (await response).status;
const invite = async (email: string, project: string | null, role: string): Promise<string> =>
  secretOf(await ana.ask('POST', '/api/v1/invitations', { email, project, role }));

describe('log-ins', () => {
  it('make the first admin by a link that works once', async () => {
    expect(await inviteFirstAdmin(team.sql)).toBeNull();
    const people = await (await ana.ask('GET', '/api/v1/people')).json();
    expect(people).toMatchObject({
      people: [
        { name: 'Ana', email: 'ana@example.org', roles: [{ project: null, role: 'admin' }], sessions: 1 },
      ],
    });
  });

  it('refuse an account without an invitation, with a used one, and for another address', async () => {
    const secret = await invite('ben@example.org', 'a', 'viewer');
    const body = { name: 'Eve', email: 'eve@example.org', password: PASSWORD };
    const stranger = team.openBrowser();
    for (const invitation of [undefined, 'x'.repeat(43), secret]) {
      const response = await stranger.ask('POST', '/api/auth/sign-up/email', { ...body, invitation });
      expect(response.status).toBe(403);
    }
    await team.join(secret, 'Ben', 'ben@example.org');
    const again = { ...body, email: 'ben2@example.org', invitation: secret };
    expect(await statusOf(stranger.ask('POST', '/api/auth/sign-up/email', again))).toBe(403);
    expect(await statusOf(stranger.ask('POST', '/api/auth/invitation', { secret }))).toBe(404);
    expect(stranger.cookies.size).toBe(0);
  });

  it('do not show whether an account exists', async () => {
    const stranger = team.openBrowser();
    const own = await invite('gil@example.org', 'a', 'viewer');
    for (const invitation of ['x'.repeat(43), own]) {
      const answers = ['ana@example.org', 'unknown@example.org'].map(async (email) => {
        const body = { name: 'Gil', email, password: PASSWORD, invitation };
        const response = await stranger.ask('POST', '/api/auth/sign-up/email', body);
        return [response.status, await response.text()];
      });
      const [known, unknown] = await Promise.all(answers);
      expect([known?.[0], known]).toEqual([403, unknown]);
    }
  });

  it('keep names short and visible, and no picture of a request', async () => {
    const secret = await invite('hal@example.org', 'a', 'viewer');
    const name = `Ana <ana@example.org>\u202e\n${'x'.repeat(1_000)}`;
    const fields = { name, email: 'hal@example.org', password: PASSWORD, invitation: secret };
    const body = { ...fields, image: 'javascript:alert(1)', preferences: 'x', emailVerified: false };
    expect(await statusOf(team.openBrowser().ask('POST', '/api/auth/sign-up/email', body))).toBe(200);
    const rows = await team.sql`select name, image, preferences from people where email = 'hal@example.org'`;
    expect(rows).toMatchObject([{ name: expect.stringMatching(/^Ana ana@example.org x{79}…$/) }]);
    expect(rows).toMatchObject([{ image: null, preferences: '' }]);
  });

  it.each([
    '1q2w3e4r5t6y',
    'Administrator',
    'administrator2024!',
    'barograph-2026',
    'abcabcabcabc',
    '777777777777',
  ])('refuse the common password %s', async (password) => {
    const secret = await invite('dan@example.org', 'a', 'viewer');
    const body = { name: 'Dan', email: 'dan@example.org', password, invitation: secret };
    const answer = await team.openBrowser().ask('POST', '/api/auth/sign-up/email', body);
    const change = { currentPassword: PASSWORD, newPassword: password };
    const changed = await ana.ask('POST', '/api/auth/change-password', change);
    for (const each of [answer, changed])
      expect([each.status, await each.text()]).toEqual([400, expect.stringContaining('too easy')]);
    expect(await team.sql`select 1 from people where email = 'dan@example.org'`).toEqual([]);
  });

  it('store an argon2id hash, and refuse short passwords', async () => {
    const rows = await team.sql`select password from credentials`;
    expect(rows.every(({ password }) => /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/.test(password))).toBe(true);
    const secret = await invite('cho@example.org', 'a', 'viewer');
    const body = { name: 'Cho', email: 'cho@example.org', password: 'short', invitation: secret };
    const response = await team.openBrowser().ask('POST', '/api/auth/sign-up/email', body);
    expect(response.status).toBe(400);
    // The invitation was not used.
    await team.join(secret, 'Cho', 'cho@example.org');
  });

  it('end when the person logs out, and name the person in the audit log', async () => {
    const browser = team.openBrowser();
    const body = { email: 'ana@example.org', password: PASSWORD };
    expect(
      await statusOf(browser.ask('POST', '/api/auth/sign-in/email', { ...body, password: 'wrong password' })),
    ).toBe(401);
    expect(await statusOf(browser.ask('POST', '/api/auth/sign-in/email', body))).toBe(200);
    expect(await statusOf(browser.ask('GET', '/api/v1/sessions'))).toBe(200);
    const before = new Map(browser.cookies);
    expect(await statusOf(browser.ask('POST', '/api/auth/sign-out', {}))).toBe(200);
    for (const [name, value] of before) browser.cookies.set(name, value);
    expect(await statusOf(browser.ask('GET', '/api/v1/sessions'))).toBe(401);
    const audit = (await (await ana.ask('GET', '/api/v1/audit')).json()) as {
      entries: { actor: string; action: string }[];
    };
    const seen = audit.entries.map(({ actor, action }) => `${actor}: ${action}`);
    expect(seen).toContain('Ana <ana@example.org>: logged_in');
    expect(seen).toContain('Ana <ana@example.org>: logged_out');
    expect(seen).toContain('unknown: log_in_failed');
  });

  it('slow down wrong passwords', async () => {
    const browser = team.openBrowser();
    const body = { email: 'ana@example.org', password: 'wrong password' };
    const statuses: number[] = [];
    for (let n = 0; n < 12; n += 1)
      statuses.push(await statusOf(browser.ask('POST', '/api/auth/sign-in/email', body)));
    expect(statuses.at(-1)).toBe(429);
  });

  it('are required despite Sec-Fetch-Site and Origin', async () => {
    const headers = {
      'sec-fetch-site': 'same-origin',
      origin: team.origin,
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ name: 'x', scope: 'admin' });
    const token = await fetch(`${team.origin}/api/v1/tokens`, { method: 'POST', headers, body });
    expect(token.status).toBe(401);
    expect((await fetch(`${team.origin}/api/v1/sessions`, { headers })).status).toBe(401);
  });

  it.each(['/update-user', '/list-sessions', '/get-session', '/request-password-reset', '/ok'])(
    'keep %s of the library closed',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        expect(await statusOf(ana.ask(method, `/api/auth${path}`, method === 'POST' ? {} : undefined))).toBe(
          404,
        );
      }
    },
  );
});

describe('roles', () => {
  it('let an admin of a project see and change its people only', async () => {
    const dan = await team.join(await invite('dan@example.org', 'd', 'admin'), 'Dan', 'dan@example.org');
    await team.join(await invite('eli@example.org', 'd', 'viewer'), 'Eli', 'eli@example.org');
    const { people } = (await (await dan.ask('GET', '/api/v1/people')).json()) as {
      people: { id: string; name: string }[];
    };
    expect(people.map(({ name }) => name)).toEqual(['Dan', 'Eli']);
    const [, eli] = people;
    const change = (body: object) => statusOf(dan.ask('PATCH', `/api/v1/people/${eli?.id}/role`, body));
    expect(await change({ project: 'd', role: 'operator' })).toBe(200);
    expect(await change({ project: 'e', role: 'admin' })).toBe(403);
    expect(await change({ project: null, role: 'admin' })).toBe(403);
    expect(await statusOf(dan.ask('DELETE', `/api/v1/people/${eli?.id}`))).toBe(403);
    // A session is valid in other projects too, and admins of the server may have a role in this one.
    const [admin] = await team.sql`select id from people where name = 'Ana'`;
    const role = { project: 'd', role: 'viewer' };
    expect(await statusOf(ana.ask('PATCH', `/api/v1/people/${admin?.id}/role`, role))).toBe(200);
    for (const id of [admin?.id, eli?.id])
      expect(await statusOf(dan.ask('DELETE', `/api/v1/people/${id}/sessions`))).toBe(403);
    expect(await statusOf(ana.ask('GET', '/api/v1/people'))).toBe(200);
    const none = { project: 'd', role: null };
    expect(await statusOf(ana.ask('PATCH', `/api/v1/people/${admin?.id}/role`, none))).toBe(200);
    expect(
      await statusOf(
        dan.ask('POST', '/api/v1/invitations', { email: 'x@y.org', project: 'e', role: 'viewer' }),
      ),
    ).toBe(403);
  });

  it('give a known person the role at once', async () => {
    const response = await ana.ask('POST', '/api/v1/invitations', {
      email: 'Eli@Example.org',
      project: 'f',
      role: 'viewer',
    });
    expect(await response.json()).toEqual({ link: null, expiresAt: null });
    const rows =
      await team.sql`select role from roles r join people p on p.id = r.person_id where name = 'Eli' and project = 'f'`;
    expect(rows).toMatchObject([{ role: 'viewer' }]);
  });

  it('keep the last admin of the server', async () => {
    const [row] = await team.sql`select id from people where name = 'Ana'`;
    const [path, change] = [`/api/v1/people/${row?.id}`, { project: null, role: 'viewer' }];
    expect(await statusOf(ana.ask('PATCH', `${path}/role`, change))).toBe(409);
    expect(await statusOf(ana.ask('DELETE', `/api/v1/people/${row?.id}`))).toBe(409);
  });

  it.each([
    ['deletes the account', (id: string) => ana.ask('DELETE', `/api/v1/people/${id}`)],
    [
      'removes the role',
      (id: string) => ana.ask('PATCH', `/api/v1/people/${id}/role`, { project: 'i', role: null }),
    ],
  ])('leave no open invitation of a former admin, when the server %s', async (what, act) => {
    const email = `ivo-${what.length}@example.org`;
    const later = await invite(email, 'j', 'viewer');
    const ivo = await team.join(await invite(email, 'i', 'admin'), 'Ivo', email);
    const back = { email: `back-${what.length}@example.org`, project: 'i', role: 'admin' };
    const own = await secretOf(await ivo.ask('POST', '/api/v1/invitations', back));
    const [row] = await team.sql`select id from people where email = ${email}`;
    expect(await statusOf(act(String(row?.id)))).toBe(200);
    const open = [own, ...(what.includes('account') ? [later] : [])];
    for (const secret of open)
      expect(await statusOf(team.openBrowser().ask('POST', '/api/auth/invitation', { secret }))).toBe(404);
  });

  it('leave nothing of a deleted person but a tombstone', async () => {
    const email = 'zoe.planted@example.org';
    const zoe = await team.join(await invite(email, 'a', 'admin'), 'Zoe "Planted"', email);
    const { tell } = await createTestFeed(team.sql, { project: 'a' });
    await tell(testTurn('noted', 100));
    const [session] = await team.sql`select id, public_id from sessions where key = 'noted'`;
    const notes = `/api/v1/sessions/${session?.public_id}/notes`;
    const note = { at: new Date().toISOString(), text: 'I, planted, saw this' };
    expect(await statusOf(zoe.ask('POST', notes, note))).toBe(201);
    const mine = await ana.ask('POST', notes, { ...note, text: 'Mine' });
    const { id, version } = (await mine.json()) as Note;
    expect(await statusOf(zoe.ask('PATCH', `${notes}/${id}`, { text: 'Mine, really', version }))).toBe(200);
    expect(
      await statusOf(zoe.ask('POST', `/api/v1/sessions/${session?.public_id}/mute`, { minutes: 5 })),
    ).toBe(200);
    await zoe.ask('POST', '/api/v1/invitations', { email: 'yan@example.org', project: 'a', role: 'viewer' });
    const name = `Zoe "Planted" <${email}>`;
    await team.sql`
      insert into commands (session_id, action, actor, expires_at) values (${session?.id}, 'stop', ${name}, now())`;
    expect((await findPlanted(team.sql, 'planted')).length).toBeGreaterThan(4);
    const [row] = await team.sql`select id from people where email = ${email}`;
    expect(await statusOf(ana.ask('DELETE', `/api/v1/people/${row?.id}`))).toBe(200);
    expect(await findPlanted(team.sql, 'planted')).toEqual([]);
    const entries = await team.sql`select actor, action, detail->>'name' as name from audit_log order by id`;
    const tombstone = expect.stringMatching(/^deleted person [0-9a-f]{8}$/);
    const kept = [{ text: 'Mine, really', edited_by: tombstone }];
    expect(await team.sql`select text, edited_by from notes where author = 'Ana'`).toEqual(kept);
    expect(entries).toContainEqual({ actor: tombstone, action: 'person_joined', name: null });
    const [actor, action] = ['Ana <ana@example.org>', 'person_deleted'];
    expect(entries.at(-1)).toEqual({ actor, action, name: tombstone });
  });

  it('end every session of a person', async () => {
    const fay = await team.join(await invite('fay@example.org', 'a', 'viewer'), 'Fay', 'fay@example.org');
    expect(await statusOf(fay.ask('GET', '/api/v1/sessions'))).toBe(200);
    const [row] = await team.sql`select id from people where name = 'Fay'`;
    expect(await statusOf(ana.ask('DELETE', `/api/v1/people/${row?.id}/sessions`))).toBe(200);
    expect(await statusOf(fay.ask('GET', '/api/v1/sessions'))).toBe(401);
  });
});
