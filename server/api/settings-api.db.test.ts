import { afterAll, describe, expect, it } from 'vitest';
import { DEFAULT_THRESHOLDS } from '../../core/accounting/thresholds';
import { auditList } from '../../core/api/audit';
import { eventList, sessionList } from '../../core/api/responses';
import { createdToken, limitList, projectSettings, revokedToken, tokenList } from '../../core/api/settings';
import { retentionPreview } from '../../core/api/transcript-settings';
import { sessionId } from '../../core/identity/session-id';
import { DEFAULT_TRANSCRIPT_LIMITS } from '../../core/transcript/keep-settings';
import { continueRecomputing } from '../../db/ingest/refold';
import { createTestFeed, testTurn } from '../../db/queries/testing-feed';
import { verifyToken } from '../../db/queries/tokens';
import { bodyOf, errorOf, startTestApi } from './testing/test-api';

const api = await startTestApi();
afterAll(() => api.close());
const { ask } = api;

const settingsOf = (name: string) =>
  bodyOf(projectSettings, ask('GET', `/projects/${encodeURIComponent(name)}/settings`));
async function patch(name: string, thresholds: unknown, version?: string) {
  const path = `/projects/${encodeURIComponent(name)}/settings`;
  return ask('PATCH', path, { version: version ?? (await settingsOf(name)).version, thresholds });
}

describe('transcript settings of a project', () => {
  const change = async (name: string, transcripts: unknown) =>
    ask('PATCH', `/projects/${name}/settings`, { version: (await settingsOf(name)).version, transcripts });

  it('have default limits and no retention, and do not affect thresholds', async () => {
    await createTestFeed(api.database.sql, { project: 'keeper' });
    const before = await settingsOf('keeper');
    expect(Object.values(before.transcripts.own)).toEqual(Array(8).fill(null));
    expect(before.transcripts.limits).toEqual(DEFAULT_TRANSCRIPT_LIMITS);
    expect((await patch('keeper', { warning: 0.6 })).status).toBe(200);
    const answer = change('keeper', { keepDays: 30, maxArchiveBytes: 1_000 });
    const after = await bodyOf(projectSettings, answer);
    expect(after.transcripts.own).toMatchObject({
      keepDays: 30,
      maxArchiveBytes: 1_000,
      keepPerSession: null,
    });
    expect(after.transcripts.limits).toEqual({ ...DEFAULT_TRANSCRIPT_LIMITS, maxArchiveBytes: 1_000 });
    expect(after.own.warning).toBe(0.6);
    await change('keeper', { keepDays: null });
    expect((await settingsOf('keeper')).transcripts.own).toMatchObject({
      keepDays: null,
      maxArchiveBytes: 1_000,
    });
  });

  it.each([
    ['transcripts.keepDays', { keepDays: 0 }],
    ['transcripts.keepDays', { keepDays: 1.5 }],
    ['transcripts.maxArchives', { maxArchives: 'many' }],
    ['transcripts.maxArchiveBytes', { maxArchiveBytes: 1e15 }],
    ['transcripts.keepDay', { keepDay: 3 }],
  ])('are refused with %s at fault', async (field, given) => {
    await createTestFeed(api.database.sql, { project: 'keeper' });
    expect(await errorOf(change('keeper', given))).toMatchObject({ status: 400, field });
  });
});

describe('the audit log', () => {
  it('records changed settings, and created and revoked tokens', async () => {
    const { sql } = api.database;
    await createTestFeed(sql, { project: 'written down' });
    const path = '/projects/written%20down/settings';
    const body = { version: (await settingsOf('written down')).version, thresholds: { warning: 0.7 } };
    expect((await ask('PATCH', path, body, api.ownPage())).status).toBe(200);
    const same = { ...body, version: (await settingsOf('written down')).version };
    expect((await ask('PATCH', path, same)).status, 'nothing changes').toBe(200);
    const made = await bodyOf(createdToken, ask('POST', '/tokens', { name: 'logged', scopes: ['read'] }));
    await ask('DELETE', `/tokens/${made.token.id}`);
    const { entries } = await bodyOf(auditList, ask('GET', '/audit?limit=3'));
    const listed = entries.map(({ actor, action, project, detail }) => ({ actor, action, project, detail }));
    const token = { name: 'logged', scopes: ['read'] };
    expect(listed).toEqual([
      { actor: 'a admin', action: 'token_revoked', project: null, detail: token },
      { actor: 'a admin', action: 'token_created', project: null, detail: token },
      {
        actor: 'browser',
        action: 'settings_changed',
        project: 'written down',
        detail: { set: { warning: 0.7 } },
      },
    ]);
    expect(JSON.stringify(entries), 'never the token itself').not.toContain(made.secret);
  });
});

describe('retention preview', () => {
  it('counts what would be deleted, and refuses invalid parameters', async () => {
    await createTestFeed(api.database.sql, { project: 'keeps' });
    const preview = async (query: string) => ask('GET', `/projects/keeps/retention${query}`);
    const listed = await bodyOf(retentionPreview, preview('?keepDays=30'));
    expect(listed.kept).toEqual({
      project: 'keeps',
      transcripts: 0,
      bytes: 0,
      storedBytes: 0,
      oldestAt: null,
    });
    expect(listed.due.transcripts).toBe(0);
    for (const [query, field] of [
      ['?keepDays=0', 'keepDays'],
      ['?keepStoredBytes=1.5', 'keepStoredBytes'],
      ['?keepPerSession=-1', 'keepPerSession'],
    ] as const) {
      expect(await errorOf(preview(query))).toMatchObject({ status: 400, field });
    }
    expect((await ask('GET', '/projects/unknown/retention')).status).toBe(404);
  });
});

describe('settings of a project', () => {
  it('are the defaults until the project sets its own, for any project name', async () => {
    await createTestFeed(api.database.sql, { project: 'two words/ü' });
    const settings = await settingsOf('two words/ü');
    expect(settings.thresholds).toEqual(DEFAULT_THRESHOLDS);
    expect(Object.values(settings.own)).toEqual(Array(6).fill(null));
    const missing = await ask('GET', '/projects/unknown/settings');
    expect(await errorOf(missing)).toMatchObject({ status: 404, code: 'not_found', field: 'name' });
    expect((await ask('PATCH', '/projects/unknown/settings', { version: '', thresholds: {} })).status).toBe(
      404,
    );
  });

  it('change one by one, and null restores the default', async () => {
    await createTestFeed(api.database.sql, { project: 'lines' });
    const changed = await bodyOf(projectSettings, patch('lines', { warning: 0.6, restartLine: 1.1 }));
    expect(changed.own).toMatchObject({ warning: 0.6, restartLine: 1.1, elevated: null });
    expect(changed.thresholds).toEqual({ ...DEFAULT_THRESHOLDS, warning: 0.6, restartLine: 1.1 });
    expect(await settingsOf('lines')).toEqual(changed);
    const back = await bodyOf(projectSettings, patch('lines', { warning: null }));
    expect(back.thresholds).toEqual({ ...DEFAULT_THRESHOLDS, restartLine: 1.1 });
  });

  it('refuse the second of two simultaneous changes', async () => {
    await createTestFeed(api.database.sql, { project: 'two-operators' });
    const { version } = await settingsOf('two-operators');
    const answers = await Promise.all([
      patch('two-operators', { warning: 0.6 }, version),
      patch('two-operators', { warning: 0.7 }, version),
    ]);
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused && (await errorOf(refused))).toMatchObject({
      code: 'changed_meanwhile',
      field: 'version',
      reason: expect.stringContaining('changed since'),
    });
    const won = answers.find(({ status }) => status === 200);
    expect(won && projectSettings.parse(await won.json())).toEqual(await settingsOf('two-operators'));
  });

  it.each([
    [{ thresholds: {} }, 'version', /must be the `version`/],
    [{ version: 'x', thresholds: {}, treshold: 1 }, 'treshold', /Did you mean thresholds\?/],
    [{ version: 'x', thresholds: { warnin: 0.5 } }, 'thresholds.warnin', /Did you mean warning\?/],
    [{ version: 'x', thresholds: { warning: 0 } }, 'thresholds.warning', /above 0 and at most 2/],
    [{ version: 'x', thresholds: { warning: 75 } }, 'thresholds.warning', /as in 0\.75/],
    [{ version: 'x', thresholds: { warning: '0.5' } }, 'thresholds.warning', /share of the limit/],
    ['{', '', /not valid JSON/],
  ])('refuse %j with the field at fault', async (body, field, reason) => {
    await createTestFeed(api.database.sql, { project: 'refusing' });
    const before = await settingsOf('refusing');
    expect(await errorOf(ask('PATCH', '/projects/refusing/settings', body))).toMatchObject({
      status: 400,
      code: 'invalid_body',
      field,
      reason: expect.stringMatching(reason),
    });
    expect(await settingsOf('refusing')).toEqual(before);
  });

  it('refuse thresholds that do not ascend, and name the field', async () => {
    await createTestFeed(api.database.sql, { project: 'ascending' });
    expect(await errorOf(patch('ascending', { elevated: 0.8 }))).toMatchObject({
      status: 400,
      field: 'thresholds.elevated',
      reason: 'must be below warning (75 %)',
    });
  });

  it('change the current states at once, and keep recorded events', async () => {
    const feed = await createTestFeed(api.database.sql, { project: 'judged' });
    await feed.tell(
      { type: 'session_start', session: 'one', lens: 'snapshot', limit: 100_000 },
      testTurn('one', 60_000),
      { type: 'session_start', session: 'over', lens: 'snapshot', limit: 100_000 },
      testTurn('over', 60_000),
      { type: 'session_end', session: 'over', reason: 'done' },
    );
    const list = async (state: string) =>
      (await bodyOf(sessionList, api.get(`/sessions?project=judged&state=${state}`))).sessions;
    const events = () =>
      api.database.sql`select kind, at, detail from events e join sessions s on s.id = e.session_id
        where s.public_id = ${sessionId('judged', 'one')} order by position, rank`;
    const [before] = await list('elevated');
    const recorded = await events();
    expect(recorded.length).toBeGreaterThan(0);

    expect((await patch('judged', { warning: 0.55 })).status).toBe(200);
    const warned = await list('warning');
    expect(warned.map(({ key, state }) => [key, state]).sort()).toEqual([
      ['one', 'warning'],
      ['over', 'warning'],
    ]);
    expect(await list('elevated')).toEqual([]);
    const after = warned.find(({ id }) => id === before?.id);
    expect(after?.version, 'live pages hear of it').toBeGreaterThan(
      before?.version ?? Number.POSITIVE_INFINITY,
    );
    expect(await events()).toEqual(recorded);

    await feed.tell(testTurn('one', 61_000));
    const entered = (await events()).slice(recorded.length);
    expect(entered.map(({ kind, detail }) => [kind, detail])).toEqual([
      ['state_changed', expect.objectContaining({ to: 'warning' })],
    ]);
  });
});

describe('access tokens', () => {
  it('are created, shown once, listed without their secrets, and revoked', async () => {
    const made = await ask('POST', '/tokens', { name: '  laptop ', scopes: ['ingest'] });
    expect(made.status).toBe(201);
    expect(made.headers.get('cache-control')).toBe('no-store');
    const { secret, token } = createdToken.parse(await made.json());
    expect(token).toMatchObject({ name: 'laptop', scopes: ['ingest'], lastUsedAt: null });
    expect(await verifyToken(api.database.sql, secret)).toMatchObject({ id: token.id, scopes: ['ingest'] });

    const text = await (await ask('GET', '/tokens')).text();
    expect(text).not.toContain(secret);
    expect(tokenList.parse(JSON.parse(text)).tokens).toContainEqual(token);

    const revoked = await ask('DELETE', `/tokens/${token.id}`);
    expect(revoked.status).toBe(200);
    expect(revokedToken.parse(await revoked.json()).revoked).toEqual(token);
    expect(await verifyToken(api.database.sql, secret)).toBeNull();
    const again = await ask('DELETE', `/tokens/${token.id}`);
    expect(await errorOf(again)).toMatchObject({
      status: 404,
      field: 'id',
      reason: expect.stringContaining('revoked before'),
    });
    expect((await ask('DELETE', '/tokens/nonsense')).status).toBe(404);
  });

  it('may be limited to a project, which the list and the audit log show', async () => {
    const body = { name: 'limited', scopes: ['ingest'], projects: [' shop '] };
    const { secret, token } = await bodyOf(createdToken, ask('POST', '/tokens', body));
    expect(token).toMatchObject({ name: 'limited', projects: ['shop'] });
    expect(await verifyToken(api.database.sql, secret)).toMatchObject({ id: token.id, projects: ['shop'] });
    const { tokens } = await bodyOf(tokenList, ask('GET', '/tokens'));
    expect(tokens).toContainEqual(token);
    expect(tokens.some(({ projects }) => projects === null)).toBe(true);
    await ask('DELETE', `/tokens/${token.id}`);
    const { entries } = await bodyOf(auditList, ask('GET', '/audit?limit=2'));
    for (const { detail } of entries) expect(detail).toMatchObject({ name: 'limited', projects: ['shop'] });
  });

  it.each([
    [{ name: ' ', scopes: ['read'] }, 'name', /must not be empty/],
    [{ name: 'x', scopes: ['ingest'], projects: [' '] }, 'projects.0', /must not be empty/],
    [
      { name: 'x', scopes: ['admin', 'read'], projects: ['shop'] },
      'projects',
      /^limits only a token of the scopes ingest, archive, read$/,
    ],
    [{ name: 'x', scopes: ['ingest'], projects: [] }, 'projects', /at least one project/],
    [{ name: 'a\nb', scopes: ['read'] }, 'name', /control characters/],
    [{ name: 'x'.repeat(201), scopes: ['read'] }, 'name', /200/],
    [{ name: 'x', scopes: ['root'] }, 'scopes.0', /^must be one of ingest, archive, read, admin$/],
    [{ name: 'x', scopes: [] }, 'scopes', /^must have at least one of/],
    [{ name: 'x' }, 'scopes', /^must be a list of/],
    [{ name: 'x', scopes: ['read'], expiresInDays: 0 }, 'expiresInDays', /whole number of days from 1/],
  ])('are not created from %j', async (body, field, reason) => {
    expect(await errorOf(ask('POST', '/tokens', body))).toMatchObject({
      status: 400,
      field,
      reason: expect.stringMatching(reason),
    });
  });
});

describe('write access', () => {
  it('is granted to a page of this server that sends its origin', async () => {
    const body = { name: 'page', scopes: ['read'] };
    expect((await ask('POST', '/tokens', body, api.ownPage())).status).toBe(201);
    expect((await ask('GET', '/tokens', undefined, { 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await ask('POST', '/tokens', body, { 'sec-fetch-site': 'same-origin' })).status).toBe(401);
    expect((await ask('POST', '/tokens', body, { origin: api.origin })).status).toBe(401);
    expect((await ask('POST', '/tokens', body, { ...api.ownPage(), 'sec-fetch-site': 'none' })).status).toBe(
      401,
    );
  });

  it('is granted to admin tokens only', async () => {
    for (const scope of ['read', 'ingest'] as const) {
      const refused = await ask('POST', '/tokens', { name: 'x', scopes: ['admin'] }, api.bearer(scope));
      expect(await errorOf(refused)).toMatchObject({
        status: 403,
        reason: expect.stringContaining('needs admin'),
      });
      expect((await ask('GET', '/tokens', undefined, api.bearer(scope))).status).toBe(403);
    }
    expect((await ask('POST', '/tokens', { name: 'x', scopes: ['read'] }, {})).status).toBe(401);
    expect((await ask('GET', '/sessions', undefined, api.bearer('admin'))).status, 'admin is not read').toBe(
      403,
    );
    expect((await ask('GET', '/projects/unknown/settings', undefined, api.bearer('read'))).status).toBe(404);
  });

  it('requires JSON with its content type', async () => {
    const body = JSON.stringify({ name: 'x', scopes: ['read'] });
    const asForm = await ask('POST', '/tokens', body, { ...api.ownPage(), 'content-type': 'text/plain' });
    expect(asForm.status).toBe(415);
    expect((await ask('POST', '/tokens', 'x'.repeat(70_000))).status).toBe(413);
  });

  it('answers 405 with the allowed methods', async () => {
    const put = await ask('PUT', '/projects/x/settings', {});
    expect(put.status).toBe(405);
    expect(put.headers.get('allow')).toBe('GET, HEAD, PATCH');
    expect((await ask('DELETE', '/tokens/1', undefined, api.bearer('read'))).status).toBe(403);
    const tokensPut = await ask('POST', '/limits', {}, api.bearer('read'));
    expect(tokensPut.status).toBe(405);
    expect(tokensPut.headers.get('allow')).toBe('GET, HEAD');
    const asAdmin = await ask('PUT', '/tokens', {});
    expect(asAdmin.status).toBe(405);
    expect(asAdmin.headers.get('allow')).toBe('GET, HEAD, POST');
  });
});

describe('context limits', () => {
  it('list the model table and the latest limits of sessions', async () => {
    const feed = await createTestFeed(api.database.sql, { project: 'limits' });
    await feed.tell(
      { type: 'session_start', session: 'stated', lens: 'snapshot', limit: 123_000 },
      testTurn('stated', 10_000, { model: 'gpt-test' }),
    );
    const body: unknown = await (await ask('GET', '/limits')).json();
    const limits = limitList.parse(body);
    expect(limits).toEqual(body);
    expect(
      limits.table.every(({ models, source, date }) => models && source && /^\d{4}-\d\d-\d\d$/.test(date)),
    ).toBe(true);
    expect(limits.seen).toContainEqual(
      expect.objectContaining({ model: 'gpt-test', tokens: 123_000, source: 'session', sessions: 1 }),
    );
  });

  it('are set for a model of a project, also for the past turns of its open sessions', async () => {
    const feed = await createTestFeed(api.database.sql, { project: 'windows' });
    const start = { type: 'session_start', session: 'own', lens: 'snapshot' } as const;
    await feed.tell(
      start,
      testTurn('own', 60_000, { model: 'own-model' }),
      testTurn('stated', 9, { model: 'own-model', limit: 70_000 }),
    );
    const change = async (windows: object) =>
      ask('PATCH', '/projects/windows/settings', { version: (await settingsOf('windows')).version, windows });
    const windowsAfter = async (windows: object) => (await bodyOf(projectSettings, change(windows))).windows;
    const limitOf = async () => {
      while ((await continueRecomputing(api.database.sql)) !== null);
      const { sessions } = await bodyOf(sessionList, api.get('/sessions?project=windows'));
      const { limit, limitSource, state } = sessions.find(({ key }) => key === 'own') ?? {};
      return [limit, limitSource, state];
    };
    expect((await settingsOf('windows')).windows).toEqual({});
    expect(await limitOf()).toEqual([200_000, 'assumed', 'nominal']);
    expect(await windowsAfter({ 'own-model': 64_000, other: 1_000 })).toEqual({
      'own-model': 64_000,
      other: 1_000,
    });
    expect(await windowsAfter({ other: null })).toEqual({ 'own-model': 64_000 });
    expect(await limitOf()).toEqual([64_000, 'setting', 'critical']);
    const { events } = await bodyOf(eventList, api.get('/events?project=windows'));
    expect(events.map(({ kind }) => kind)).not.toContain('window_changed');
    expect(events.map(({ kind }) => kind)).toContain('state_changed');
    const { seen } = await bodyOf(limitList, api.get('/limits'));
    const inUse = seen.filter((row) => row.project === 'windows');
    expect(inUse.map(({ tokens, source, date }) => [tokens, source, date])).toEqual([
      [64_000, 'setting', null],
      [70_000, 'turn', null],
    ]);
    expect(await windowsAfter({ 'own-model': null })).toEqual({});
    expect(await limitOf()).toEqual([200_000, 'assumed', 'nominal']);
    expect(await errorOf(change({ 'own-model': 0 }))).toMatchObject({
      status: 400,
      field: 'windows.own-model',
      reason: 'must be a whole number of tokens, or null to remove the window',
    });
  });
});
