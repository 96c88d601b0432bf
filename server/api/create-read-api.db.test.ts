import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compositionList } from '../../core/api/composition';
import { delay, historyBody, historySessionList } from '../../core/api/history';
import { contextList, eventDetails, eventList, sessionList, turnList } from '../../core/api/responses';
import { series, subAgentList } from '../../core/api/series';
import { session } from '../../core/api/session';
import { sessionId } from '../../core/identity/session-id';
import { rollUpAll } from '../../db/history/history-testing';
import { createTestFeed, testTurn } from '../../db/queries/testing-feed';
import { bodyOf, errorOf, startTestApi } from './testing/test-api';

const api = await startTestApi();
afterAll(() => api.close());
const base = `${api.origin}/api/v1`;
const id = sessionId('atlas', 'one');

beforeAll(async () => {
  const { sql } = api.database;
  const feed = await createTestFeed(sql);
  await feed.tell(
    { type: 'session_start', session: 'one', title: 'One', lens: 'snapshot', limit: 200_000 },
    testTurn('one', 50_000, { model: '=cmd("x"), y' }),
    { type: 'compaction', session: 'one', trigger: 'manual', state: 'confirmed' },
    testTurn('one', 20_000, {
      composition: { roles: [{ role: 'user', messages: 3, tokens: 20_000 }], suggestions: [] },
    }),
  );
  await rollUpAll(sql);
});

function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return api.ask(method, path, undefined, { ...api.bearer('read'), ...headers });
}

const INVALID = 'invalid_parameter';
type Parameter = { name: string; description?: string; schema: object };

describe('read API', () => {
  it.each([
    ['/sessions', sessionList],
    [`/sessions/${id}`, session],
    [`/sessions/${id.toUpperCase()}`, session],
    [`/sessions/${id}/contexts`, contextList],
    [`/sessions/${id}/compositions?chain=main`, compositionList],
    [`/sessions/${id}/turns?order=desc&limit=1`, turnList],
    [`/sessions/${id}/events?kind=compaction&kind=restart`, eventList],
    [`/sessions/${id}/series?lens=cumulative&from=0&to=2030-01-01T00:00:00Z&points=50`, series],
    [`/sessions/${id}/sub-agents?from=2020-01-01&points=10&limit=3`, subAgentList],
    ['/events?from=2020-01-01', eventList],
    ['/history?from=2020-01-01&to=2030-01-01&by=runner&zone=Europe/Berlin', historyBody.extend(delay.shape)],
    ['/history?bucket=1m&project=atlas', historyBody.extend(delay.shape)],
    ['/history/sessions?from=2020-01-01&sort=compactions&limit=5', historySessionList.extend(delay.shape)],
  ])('answers %s in its documented shape, without extra fields', async (path, shape) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    const body: unknown = await response.json();
    // Parsing drops unknown fields, so an extra field would make a difference.
    expect(shape.parse(body)).toEqual(body);
  });

  it('answers one event in full, and 404 for an unknown one', async () => {
    const { events } = await bodyOf(eventList, get(`/sessions/${id}/events?kind=compaction`));
    const response = await get(`/events/${encodeURIComponent(events[0]?.id ?? '')}`);
    expect(response.status).toBe(200);
    const body: unknown = await response.json();
    expect(eventDetails.parse(body)).toEqual(body);
    expect(body).toMatchObject({
      event: events[0],
      calls: { before: { contextTokens: 50_000 }, after: { contextTokens: 20_000 }, summary: null },
    });
    const unknown = await get(`/events/${id}.x.restart`);
    const reason = expect.stringContaining('no such event');
    expect(await errorOf(unknown)).toMatchObject({ status: 404, code: 'not_found', field: 'id', reason });
  });

  it('documents every path with its shapes', async () => {
    const document = (await (await get('/openapi.json')).json()) as {
      openapi: string;
      info: { version: string };
      paths: Record<string, Record<string, { parameters?: Parameter[] }>>;
      components: { schemas: Record<string, unknown> };
    };
    expect(document.openapi).toBe('3.1.0');
    expect(document.info.version).toBe('1.2.3');
    const page = readFileSync('docs/api.md', 'utf8');
    expect(Object.keys(document.paths).filter((path) => !page.includes(`${path}\``))).toEqual([]);
    expect(Object.values(document.paths).flatMap((path) => Object.keys(path)).length).toBeGreaterThan(30);
    const parameters = Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .flatMap(({ parameters }) => parameters ?? []);
    expect(parameters.filter((parameter) => !parameter.description)).toEqual([]);
    const ofSeries = document.paths['/sessions/{id}/series']?.get?.parameters;
    expect(ofSeries?.find((parameter) => parameter.name === 'points')).toMatchObject({
      schema: { type: 'integer', minimum: 10, maximum: 2_000, default: 300 },
    });
    const text = JSON.stringify(document);
    for (const [, name] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) {
      expect(Object.keys(document.components.schemas)).toContain(name);
    }
  });

  it.each([
    ['/sessions?modle=x', 'unknown_parameter', 'modle', /Did you mean model\?/],
    ['/sessions?colour=x', 'unknown_parameter', 'colour', /Known: project, runner, /],
    ['/limits?q=x', 'unknown_parameter', 'q', /no parameters/],
    ['/sessions?limit=0', INVALID, 'limit', /1 to 500/],
    ['/sessions?limit=1&limit=2', INVALID, 'limit', /more than once/],
    ['/sessions?state=fine', INVALID, 'state', /^must be one of .*nominal/],
    ['/sessions?cursor=abc', INVALID, 'cursor', /not a cursor of this API/],
    ['/sessions?q=%00', INVALID, 'q', /NUL/],
    [`/sessions/${id}/series?from=yesterday`, INVALID, 'from', /ISO 8601/],
    [`/sessions/${id}/series?points=5000`, INVALID, 'points', /10 to 2000/],
    [`/sessions/${id}/series?points=1e2`, INVALID, 'points', /10 to 2000/],
    [`/sessions/${id}/series?lens=wide`, INVALID, 'lens', /^must be one of cumulative, snapshot/],
    [`/sessions/${id}/series?from=20&to=10`, INVALID, 'from', /after `to`/],
    [`/sessions/${id}/events?from=20&to=10`, INVALID, 'from', /after `to`/],
    ['/history?zone=Mars/Olympus', INVALID, 'zone', /Europe\/Berlin/],
    ['/history?bucket=2h', INVALID, 'bucket', /^must be one of auto, 1m, /],
    ['/history?bucket=1m&from=2026-01-01&to=2026-03-01', INVALID, 'bucket', /more than 2000 buckets/],
    ['/history?from=1990-01-01&to=2020-01-01', INVALID, 'from', /4000 days/],
    ['/history?format=xml', INVALID, 'format', /csv, json/],
    ['/history/sessions?from=20&to=10', INVALID, 'from', /after `to`/],
    ['/events?from=20&to=10', INVALID, 'from', /after `to`/],
    [`/sessions/${id}/series?chain=unknown`, INVALID, 'chain', /no chain of this session/],
    [`/sessions/${id}/turns?chain=unknown`, INVALID, 'chain', /no chain of this session/],
    [`/sessions/${id}/events?chain=unknown`, INVALID, 'chain', /no chain of this session/],
    [`/sessions/${id}/contexts?chain=unknown`, INVALID, 'chain', /no chain of this session/],
    [`/sessions/${id}/turns?context=-1`, INVALID, 'context', /whole number/],
  ])('refuses %s with the field and the reason', async (path, code, field, pattern) => {
    const reason = expect.stringMatching(pattern);
    expect(await errorOf(get(path))).toMatchObject({ status: 400, code, field, reason });
  });

  it('answers 404, 405, 401 and 403 as JSON', async () => {
    expect((await get('/nothing')).status).toBe(404);
    expect((await get('/sessions/')).status).toBe(404);
    const missing = await get('/sessions/5f2d3f8e-0000-5000-8000-000000000000');
    expect(await errorOf(missing)).toMatchObject({ status: 404, code: 'not_found', field: 'id' });
    const posted = await get('/sessions', {}, 'POST');
    expect(posted.status).toBe(405);
    expect(posted.headers.get('allow')).toBe('GET, HEAD');
    expect(await errorOf(posted)).toMatchObject({ code: 'method_not_allowed' });
    const anonymous = await fetch(`${base}/sessions`);
    expect(anonymous.status).toBe(401);
    expect(anonymous.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(await errorOf(anonymous)).toMatchObject({ code: 'unauthorized' });
    expect((await get('/sessions', api.bearer('ingest'))).status).toBe(403);
    expect((await get('/sessions', { authorization: 'Bearer bg_wrong' })).status).toBe(401);
    expect((await fetch(`${base}/sessions?token=bg_token`)).status).toBe(400);
  });

  it('requires a token from programs, and none from pages of this server', async () => {
    const fromPage = await fetch(`${base}/sessions`, { headers: { 'sec-fetch-site': 'same-origin' } });
    expect(fromPage.status).toBe(200);
    const fromElsewhere = await fetch(`${base}/sessions`, { headers: { 'sec-fetch-site': 'same-site' } });
    expect(fromElsewhere.status).toBe(403);
  });

  it('exports history with all groups, uncached', async () => {
    const range = 'from=2020-01-01&to=2030-01-01';
    const csv = await get(`/history?${range}&by=project&format=csv`);
    expect(csv.headers.get('content-type')).toMatch(/^text\/csv/);
    expect(csv.headers.get('content-disposition')).toMatch(
      /^attachment; filename="barograph-history-20\d\d-\d\d-\d\d-20\d\d-\d\d-\d\d\.csv"$/,
    );
    expect(csv.headers.get('cache-control')).toBe('no-store');
    const [head, first] = (await csv.text()).split('\r\n');
    expect(head).toMatch(/^from,to,project,turns,input,/);
    expect(first).toMatch(/,atlas,2,/);
    const sessions = await get(`/history/sessions?${range}&format=csv`);
    expect(await sessions.text()).toContain(`\r\n${id},One,atlas,`);
    const json = await get(`/history?${range}&format=json`);
    expect(json.headers.get('content-disposition')).toContain('.json"');
    expect(historyBody.parse(await json.json()).total).toMatchObject({ turns: 2, compactions: 1 });
    const { headers } = await get(`/history?${range}&format=csv`, {}, 'HEAD');
    expect(headers.get('content-length')).not.toBe('0');
  });

  it('exports turns and events as CSV with a header and without formulas', async () => {
    const turns = await get(`/sessions/${id}/turns?format=csv`);
    expect(turns.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(turns.headers.get('content-disposition')).toBe(`attachment; filename="barograph-turns-${id}.csv"`);
    expect(turns.headers.get('cache-control')).toBe('no-store');
    const lines = (await turns.text()).split('\r\n');
    expect(lines[0]).toMatch(/^turn,chain,context,scope,atUtc,receivedAtUtc,model,inputTokens,/);
    expect(lines[1]).toMatch(/^1,main,\d+,main,[^,]+Z,[^,]+Z,"'=cmd\(""x""\), y",\d+,/);
    expect(lines).toHaveLength(4);
    expect(lines[3]).toBe('');

    const events = await get(`/sessions/${id}/events?format=csv&kind=compaction`);
    const [head, first, end] = (await events.text()).split('\r\n');
    expect(head).toBe('atUtc,kind,chain,context,afterTurn,detailJson,revision,id');
    expect(first).toMatch(/Z,compaction,main,\d+,1,"\{""/);
    expect(end).toBe('');
  });

  it('exports turns and events as JSON in the shape of the list, up to the limit', async () => {
    const file = await get(`/sessions/${id}/turns?format=json`);
    expect(file.headers.get('content-disposition')).toContain(`barograph-turns-${id}.json`);
    expect(await file.json()).toEqual(await (await get(`/sessions/${id}/turns`)).json());
    const one = await bodyOf(turnList, get(`/sessions/${id}/turns?format=json&limit=1`));
    expect(one.turns.map(({ number }) => number)).toEqual([1]);
    expect(one.nextCursor).not.toBeNull();
    const events = await (await get(`/sessions/${id}/events?format=json`)).json();
    expect(events).toEqual(await (await get(`/sessions/${id}/events`)).json());
    expect(await (await get(`/sessions/${id}/turns?format=csv`, {}, 'HEAD')).text()).toBe('');
    expect((await get(`/sessions/${id}/turns?format=csv&chain=unknown`)).status).toBe(400);
  });

  it('answers 304 to a client that has the current answer', async () => {
    const first = await get(`/sessions/${id}/turns`);
    const tag = first.headers.get('etag') ?? '';
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    await first.text();
    const again = await get(`/sessions/${id}/turns`, { 'if-none-match': `"other", W/${tag}` });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
    expect((await get(`/sessions/${id}/turns`, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('compresses JSON for clients that accept it', async () => {
    const packed = await get('/openapi.json', { 'accept-encoding': 'gzip' });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    const plain = await get('/openapi.json', { 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await packed.json()).toEqual(await plain.json());
    const tag = packed.headers.get('etag') ?? '';
    expect((await get('/openapi.json', { 'if-none-match': tag })).status).toBe(304);
  });

  it('redirects readers of an adopted session, query included', async () => {
    const watcher = await createTestFeed(api.database.sql, { source: 'hook', runner: 'watcher' });
    await watcher.tell({ type: 'session_start', session: 'seen', client: 'cc', clientSessionId: 'c-9' });
    const runner = await createTestFeed(api.database.sql, { runner: 'runner' });
    await runner.tell({ type: 'session_start', session: 'owner', client: 'cc', clientSessionId: 'c-9' });
    const moved = await get(`/sessions/${sessionId('atlas', 'seen')}/turns?limit=5`);
    expect(moved.status).toBe(308);
    const location = `/api/v1/sessions/${sessionId('atlas', 'owner')}/turns?limit=5`;
    expect(moved.headers.get('location')).toBe(location);
  });
});
