import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request as send } from 'node:http';
import { gzipSync } from 'node:zlib';
import { toBinary } from '@bufbuild/protobuf';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterAll, expect, test, vi } from 'vitest';
import { claudeCode } from '../../core/agents/claude-code';
import { sessionId } from '../../core/identity/session-id';
import type { Item } from '../../core/protocol/items';
import { openStream } from '../../db/ingest/open-stream';
import { recordDeliveries } from '../../db/ingest/record-deliveries';
import { loadSession } from '../../db/queries/load-session';
import { createToken } from '../../db/queries/tokens';
import { listTurns } from '../../db/queries/turns';
import { createTestDatabase } from '../../db/testing/test-database';
import { startIngestServer } from '../ingest/testing/start-ingest-server';
import { decode } from './codec';
import {
  ExportLogsServiceRequestSchema,
  ExportLogsServiceResponseSchema,
} from './proto/opentelemetry/proto/collector/logs/v1/logs_service_pb';
import { StatusSchema } from './proto/status_pb';
import sample from './testing/claude-code-2.1.330.json';

/** The server's time is shortly after the times of the records. */
vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 21, 21) });
const database = await createTestDatabase();
const { sql } = database;
const token = await createToken(sql, { name: 'test', scopes: ['ingest'] });
const SECRET = '0f'.repeat(32);
const server = await startIngestServer(database.url, 0, SECRET);
afterAll(async () => {
  vi.useRealTimers();
  await server.close();
  await database.close();
});

const JSON_TYPE = 'application/json';
const PROTOBUF = 'application/x-protobuf';
const SAMPLE_SESSION = '55555555-5555-4555-8555-555555555555';

function post(path: string, body: string | Buffer, headers: Record<string, string> = {}) {
  return fetch(server.url + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': JSON_TYPE, ...headers },
    body: body as BodyInit,
  });
}

const attribute = (key: string, value: string | number | boolean) => ({
  key,
  value:
    typeof value === 'string'
      ? { stringValue: value }
      : typeof value === 'number'
        ? { intValue: String(value) }
        : { boolValue: value },
});
const attributes = (given: Record<string, string | number | boolean>) =>
  Object.entries(given).map(([key, value]) => attribute(key, value));

let clock = Date.UTC(2026, 10, 21, 12);
function tick(): number {
  clock += 1_000;
  return clock;
}
const nano = () => `${tick()}000000`;

interface Call {
  session: string;
  request?: string;
  source?: string;
  input?: number | string;
  output?: number;
}

const apiRequest = ({ session, request = 'req_1', source = 'sdk', input = 10, output = 20 }: Call) => ({
  timeUnixNano: nano(),
  body: { stringValue: 'claude_code.api_request' },
  attributes: attributes({
    'event.name': 'api_request',
    'session.id': session,
    model: 'claude-sonnet-4-5',
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: 1000,
    cache_creation_tokens: 100,
    request_id: request,
    query_source: source,
  }),
});
const logsOf = (...logRecords: object[]) => ({
  resourceLogs: [
    {
      resource: { attributes: attributes({ 'service.name': 'claude-code' }) },
      scopeLogs: [{ scope: { name: 'com.anthropic.claude_code.events' }, logRecords }],
    },
  ],
});

/** A session as the read API shows it, with its turns. */
async function read(key: string, client: string | null = 'claude-code', project = 'claude-code') {
  const loaded = await loadSession(sql, sessionId(project, key, client), {
    nowMs: Date.now(),
    idleAfterMs: 600_000,
  });
  if (!loaded) return null;
  const { turns } = await listTurns(sql, loaded.ref);
  return {
    ...loaded.session,
    turns: turns.map(({ chain, scope, usage }) => [
      chain,
      scope,
      usage?.input,
      usage?.output,
      usage?.cacheRead,
      usage?.cacheCreation,
    ]),
  };
}

test('accepts the key of this machine in the path instead of a token, for telemetry only', async () => {
  const key = createHmac('sha256', SECRET).update('barograph otlp key 1').digest('hex');
  const send = async (path: string) => {
    const body = JSON.stringify(logsOf(apiRequest({ session: 'by-key' })));
    const headers = { 'Content-Type': JSON_TYPE };
    return (await fetch(server.url + path, { method: 'POST', headers, body })).status;
  };
  const wrong = key.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
  const paths = ['v1/logs', 'v1/ingest', 'v1/otlp'].map((path) => `/v1/otlp/${key}/${path}`);
  expect(await Promise.all(paths.map(send))).toEqual([200, 404, 404]);
  expect(await Promise.all([`/v1/otlp/${wrong}/v1/logs`, '/v1/otlp//v1/logs', '/v1/logs'].map(send))).toEqual(
    [401, 404, 401],
  );
  expect((await read('by-key'))?.turns).toHaveLength(1);
  // Gemini CLI prints each warning, and its settings cannot leave out the metrics.
  const metrics = { resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'm' }] }] }] };
  const init = { method: 'POST', headers: { 'Content-Type': JSON_TYPE }, body: JSON.stringify(metrics) };
  const answer = await fetch(`${server.url}/v1/otlp/${key}/v1/metrics`, init);
  expect([answer.status, await answer.json()]).toEqual([200, {}]);
});

test('maps the calls and compactions of Claude Code’s own export, once each', async () => {
  // The exporter sends everything twice, as after an answer that was lost.
  for (const body of [...sample.logs, ...sample.logs]) {
    const response = await post('/v1/logs', JSON.stringify(body));
    expect([response.status, await response.json()]).toEqual([200, {}]);
  }
  const session = await read(SAMPLE_SESSION);
  expect(session?.turns).toEqual([
    ['main', 'main', 12, 1000, 0, 100_000],
    ['main', 'main', 9, 1100, 101_000, 40_000],
    ['main', 'side', 50, 800, 142_100, 0],
    ['main', 'main', 8, 50, 21_000, 3000],
    ['main', 'side', 50, 800, 142_100, 0],
  ]);
  expect(session).toMatchObject({
    lens: 'snapshot',
    client: 'claude-code',
    clientVersion: '2.1.330',
    clientSessionIds: [SAMPLE_SESSION],
    compactions: 2,
    sources: ['otlp'],
    totals: { main: { input: 29, output: 2150 }, side: { input: 100, output: 1600 } },
  });
});

test('accepts spans and metrics of a client that has its own events, and counts none of them as a call', async () => {
  const traces = await post('/v1/traces', JSON.stringify(sample.traces));
  expect([traces.status, await traces.json()]).toEqual([200, {}]);
  const metrics = await post('/v1/metrics', JSON.stringify(sample.metrics));
  const { partialSuccess } = (await metrics.json()) as { partialSuccess: Record<string, string> };
  expect(metrics.status).toBe(200);
  expect(partialSuccess.rejectedDataPoints ?? '0').toBe('0');
  expect(partialSuccess.errorMessage).toMatch(/^The metrics were accepted and not used: metrics cannot/);
  expect((await read(SAMPLE_SESSION))?.turns).toHaveLength(5);
});

test.each([
  ['a body that is not Protobuf', Buffer.from([10, 5, 1]), PROTOBUF],
  ['a list', '[]', JSON_TYPE],
  ['an object in place of the list', '{"resourceMetrics":{}}', JSON_TYPE],
])('refuses metrics in %s', async (_, body, type) => {
  expect((await post('/v1/metrics', body, { 'Content-Type': type })).status).toBe(400);
});

test('answers metrics in Protobuf with a warning, and answers an empty request without it', async () => {
  const ask = async (body: Buffer) => {
    const response = await post('/v1/metrics', body, { 'Content-Type': PROTOBUF });
    return Buffer.from(await response.arrayBuffer()).toString('latin1');
  };
  // The message is field 2 of the partial success, which is field 1.
  const [partialSuccess, , message, , ...text] = await ask(Buffer.from([10, 0]));
  expect([partialSuccess, message]).toEqual(['\x0a', '\x12']);
  expect(text.join('')).toMatch(/^The metrics were accepted and not used/);
  expect(await ask(Buffer.alloc(0))).toBe('');
});

test('leaves out the version of Node.js that Gemini CLI states as its own', async () => {
  const bodyOf = (session: string, version: string) => {
    const record = {
      timeUnixNano: nano(),
      attributes: attributes({
        'event.name': 'gemini_cli.api_response',
        'session.id': session,
        input_token_count: 5,
      }),
    };
    const resource = { attributes: attributes({ 'service.name': 'gemini-cli', 'service.version': version }) };
    return JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record] }] }] });
  };
  await post('/v1/logs', bodyOf('of-node', 'v22.18.0'));
  await post('/v1/logs', bodyOf('of-client', '0.19.0'));
  const versionOf = async (key: string) => (await read(key, 'gemini-cli'))?.clientVersion;
  expect([await versionOf('of-node'), await versionOf('of-client')]).toEqual([null, '0.19.0']);
});

test('shows the server’s time for a record from a clock that was never set', async () => {
  const session = 'clock-1970';
  const record = { ...apiRequest({ session }), timeUnixNano: '86400000000000' };
  expect((await post('/v1/logs', JSON.stringify(logsOf(record)))).status).toBe(200);
  expect(await read(session)).toMatchObject({ startedAt: new Date(Date.now()).toISOString() });
});

test('puts main calls, side calls and agents on separate chains', async () => {
  const session = 'query-sources';
  const sources = ['repl_main_thread', 'generate_session_title', 'agent:builtin:general-purpose', 'compact'];
  const records = sources.map((source, index) => apiRequest({ session, source, request: `req_${index}` }));
  await post('/v1/logs', JSON.stringify(logsOf(...records)));
  expect((await read(session))?.turns.map(([chain, scope]) => [chain, scope])).toEqual([
    ['main', 'main'],
    ['main', 'side'],
    ['agent:builtin:general-purpose', 'main'],
    ['main', 'side'],
  ]);
});

test('accepts Protobuf with gzip, and answers in the encoding of the request', async () => {
  const json = Buffer.from(JSON.stringify(logsOf(apiRequest({ session: 'binary' }))));
  const message = decode(ExportLogsServiceRequestSchema, json, JSON_TYPE);
  const body = gzipSync(toBinary(ExportLogsServiceRequestSchema, message));
  const response = await post('/v1/logs', body, { 'Content-Type': PROTOBUF, 'Content-Encoding': 'gzip' });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, PROTOBUF]);
  const answer = Buffer.from(await response.arrayBuffer());
  expect(decode(ExportLogsServiceResponseSchema, answer, PROTOBUF).partialSuccess).toBeUndefined();
  expect((await read('binary'))?.turns).toEqual([['main', 'main', 10, 20, 1000, 100]]);
});

test('stores the other records of a request with an unusable one, and names field and reason', async () => {
  const session = 'partial';
  const body = logsOf(
    apiRequest({ session, request: 'req_1' }),
    apiRequest({ session, request: 'req_2', input: 'many' }),
    apiRequest({ session: 'x'.repeat(500), request: 'req_3' }),
    { ...apiRequest({ session, request: 'req_4' }), timeUnixNano: '0' },
    apiRequest({ session, request: 'req_5' }),
  );
  const response = await post('/v1/logs', JSON.stringify(body));
  expect(response.status).toBe(200);
  const { partialSuccess } = (await response.json()) as { partialSuccess: Record<string, string> };
  expect(partialSuccess.rejectedLogRecords).toBe('3');
  const place = 'resourceLogs[0].scopeLogs[0].logRecords';
  expect(partialSuccess.errorMessage?.split('; ')).toEqual([
    `${place}[1]: attributes.input_tokens must be a whole number from 0 to 2^53−1`,
    `${place}[3]: timeUnixNano is missing`,
    expect.stringContaining(`${place}[2]: session `),
  ]);
  expect((await read(session))?.turns).toHaveLength(2);
});

test('reports a conflicting figure of a known call as rejected', async () => {
  const session = 'conflict';
  await post('/v1/logs', JSON.stringify(logsOf(apiRequest({ session, input: 10 }))));
  const response = await post('/v1/logs', JSON.stringify(logsOf(apiRequest({ session, input: 11 }))));
  const { partialSuccess } = (await response.json()) as { partialSuccess: Record<string, string> };
  expect(partialSuccess.rejectedLogRecords).toBe('1');
  expect(partialSuccess.errorMessage).toContain('usage.input this call was reported before');
});

const deep = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":${'{"arrayValue":{"values":['.repeat(5_000)}${']}}'.repeat(5_000)}}]}]}]}`;

test.each([
  [400, 'text that is not JSON', '{', {}],
  [400, 'JSON of another shape', '{"resourceLogs": 7}', {}],
  [400, 'a deeply nested body', deep, {}],
  [400, 'bytes that are no Protobuf', Buffer.from([0xff, 0xff, 0xff]), { 'Content-Type': PROTOBUF }],
  [400, 'bytes that are no gzip', 'plain', { 'Content-Encoding': 'gzip' }],
  [413, 'a body that is too large', Buffer.alloc(17 * 1024 * 1024, ' '), {}],
  [
    413,
    'a body that is too large after decompression',
    gzipSync(Buffer.alloc(17 * 1024 * 1024, ' ')),
    { 'Content-Encoding': 'gzip' },
  ],
  [413, 'more than 10000 records', Buffer.from('\x0a\x00'.repeat(10_001)), { 'Content-Type': PROTOBUF }],
  [415, 'another type', 'x', { 'Content-Type': 'text/plain' }],
  [415, 'another compression', 'x', { 'Content-Encoding': 'br' }],
  [401, 'an unknown token', '{}', { Authorization: 'Bearer bg_unknownunknownunknownunknown' }],
  [403, 'a page of another origin', '{}', { Origin: 'http://example.org' }],
] as const)('answers %i to %s', async (status, _, body, headers) => {
  const response = await post('/v1/logs', body as string, headers as Record<string, string>);
  expect(response.status).toBe(status);
  if (status === 403) return;
  const isBinary = response.headers.get('content-type') === PROTOBUF;
  const error = decode(
    StatusSchema,
    Buffer.from(await response.arrayBuffer()),
    isBinary ? PROTOBUF : JSON_TYPE,
  );
  expect(error.message).not.toBe('');
});

test('accepts a token after an encoded space, as Claude Code sends it', async () => {
  expect((await post('/v1/logs', '{}', { Authorization: `Bearer%20${token}` })).status).toBe(200);
});

test('refuses other methods, and a token in the URL', async () => {
  expect((await fetch(`${server.url}/v1/logs`)).status).toBe(405);
  expect((await post(`/v1/logs?token=${token}`, '{}')).status).toBe(400);
});

test('asks the exporter to retry while the database is unavailable', async () => {
  const away = await startIngestServer('postgres://nobody@127.0.0.1:1/none');
  const response = await fetch(`${away.url}/v1/logs`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': JSON_TYPE },
    body: '{}',
  });
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  await away.close();
});

test('asks the exporter to retry while its token has all its places', async () => {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': JSON_TYPE };
  const slow = Array.from({ length: 6 }, () => {
    const sending = send(`${server.url}/v1/logs`, { method: 'POST', headers });
    sending.write('{');
    const status = new Promise((resolve) => {
      sending.on('response', ({ statusCode }) => resolve(statusCode));
    });
    return { finish: () => sending.end('}'), status };
  });
  const ask = async () => {
    const { status, headers: answered } = await post('/v1/logs', '{}');
    return [status, answered.get('retry-after')];
  };
  await expect.poll(ask).toEqual([429, '1']);
  for (const { finish } of slow) finish();
  expect(await Promise.all(slow.map(({ status }) => status))).toEqual(slow.map(() => 200));
  expect((await post('/v1/logs', '{}')).status).toBe(200);
});

test('stores every call of one session in the same millisecond', async () => {
  const session = 'same-millisecond';
  const { timeUnixNano } = apiRequest({ session });
  const records = Array.from({ length: 300 }, (_, index) => ({
    ...apiRequest({ session, request: `req_${index}` }),
    timeUnixNano,
  }));
  const response = await post('/v1/logs', JSON.stringify(logsOf(...records)));
  expect(await response.json()).toEqual({});
  expect(await read(session)).toMatchObject({ turnCount: 300 });
});

test('keeps the list of received seqs of each stream short', async () => {
  const session = 'long-lived';
  const hour = 3_600_000;
  const start = Math.floor(clock / hour) * hour - 48 * hour;
  for (let at = 0; at < 48; at += 1) {
    const records = [0, 1, 2].map((index) => ({
      ...apiRequest({ session, request: `req_${at}_${index}` }),
      timeUnixNano: `${start + at * hour + index * 60_000}000000`,
    }));
    await post('/v1/logs', JSON.stringify(logsOf(...records)));
  }
  const [longest] = await sql<{ ranges: number }[]>`
    select max(regexp_count(received::text, '\\[')) as ranges from streams s
    join session_streams x on x.stream_id = s.id join sessions n on n.id = x.session_id where n.key = ${session}`;
  expect(longest?.ranges).toBeLessThanOrEqual(4);
});

test('groups sessions by the project that the resource or a header names', async () => {
  const body = (session: string, project?: string) => {
    const request = logsOf(apiRequest({ session }));
    if (project) request.resourceLogs[0]?.resource.attributes.push(attribute('barograph.project', project));
    return JSON.stringify(request);
  };
  await post('/v1/logs', body('by-name'));
  await post('/v1/logs', body('by-header'), { 'X-Barograph-Project': 'shop' });
  await post('/v1/logs', body('by-resource', 'farm'), { 'X-Barograph-Project': 'shop' });
  const projects = ['by-name', 'by-header', 'by-resource'].map(async (key) => (await read(key))?.project);
  expect(await Promise.all(projects)).toEqual(['claude-code', 'shop', 'farm']);
});

test('rejects the records of a project that the token may not write', async () => {
  const bound = await createToken(sql, { name: 'bound', scopes: ['ingest'], projects: ['farm'] });
  const sent = async (project: string) => {
    const headers = { Authorization: `Bearer ${bound}`, 'X-Barograph-Project': project };
    return (
      await post('/v1/logs', JSON.stringify(logsOf(apiRequest({ session: `of-${project}` }))), headers)
    ).json();
  };
  expect(await sent('farm')).toEqual({});
  const errorMessage = expect.stringContaining('may only write the project "farm", not "shop"');
  expect(await sent('shop')).toMatchObject({ partialSuccess: { errorMessage } });
  expect([await read('of-farm'), await read('of-shop')]).toMatchObject([{ project: 'farm' }, null]);
});

/** Items of a transcript of the same session, with final figures, as `watch` sends them. */
function transcriptItems(session: string, lines: object[]): Item[] {
  const parser = claudeCode.createParser?.({
    identity: { session, chain: null, clientSessionId: session } as never,
    content: true,
    owners: { claim: () => session } as never,
    announces: true,
    fallbackAt: clock,
    isFree: () => true,
  });
  if (!parser) throw new Error('no parser');
  const items = [...lines.flatMap((line) => parser.line(JSON.stringify(line))), ...parser.settle()];
  return items.map((item, index) => ({ ...item, session, seq: index + 1 })) as Item[];
}

test.each(['transcript first', 'OTLP first'])(
  'adds to a transcript only what the transcript lacks (%s)',
  async (order) => {
    const session = order.startsWith('OTLP')
      ? '0f8fad5b-d9cb-469f-a165-70867728950e'
      : '7c9e6679-7425-40de-944b-e07fc1f90ae7';
    const message = (id: string, output: number) => ({
      type: 'assistant',
      uuid: `line-${id}`,
      sessionId: session,
      timestamp: new Date(tick()).toISOString(),
      requestId: `req_${id}`,
      message: {
        id: `msg_${id}`,
        model: 'claude-sonnet-4-5',
        usage: {
          input_tokens: 10,
          output_tokens: output,
          cache_read_input_tokens: 1000,
          cache_creation_input_tokens: 100,
        },
      },
    });
    const lines = [message('a', 20), message('b', 30)];
    const telemetry = logsOf(
      apiRequest({ session, request: 'req_a', output: 20 }),
      apiRequest({ session, request: 'req_b', output: 30 }),
      apiRequest({ session, request: 'req_title', source: 'generate_session_title', output: 5 }),
    );
    const sendTranscript = async () => {
      const hello = {
        project: 'folder',
        projectSource: 'folder',
        client: 'claude-code',
        runner: { name: 'w' },
      } as const;
      const stream = await openStream(sql, { ...hello, stream: session, source: 'transcript' });
      const items = transcriptItems(session, lines);
      await recordDeliveries(sql, [{ stream, items, receivedAt: clock, clockAgrees: true }], { now: clock });
    };
    const sendTelemetry = () => post('/v1/logs', JSON.stringify(telemetry));
    for (const send of order.startsWith('OTLP')
      ? [sendTelemetry, sendTranscript]
      : [sendTranscript, sendTelemetry]) {
      await send();
    }
    await sendTelemetry();
    const found = await read(session);
    expect(found?.totals).toMatchObject({ main: { input: 20, output: 50 }, side: { input: 10, output: 5 } });
    expect([found?.turnCount, found?.project, found?.sources]).toEqual([3, 'folder', ['transcript', 'otlp']]);
  },
);

const codexCall = (session: string, counts: Record<string, number>) => ({
  timeUnixNano: '0',
  observedTimeUnixNano: nano(),
  attributes: attributes({
    'event.name': 'codex.sse_event',
    'event.kind': 'response.completed',
    'conversation.id': session,
    model: 'gpt-5-codex',
    ...counts,
  }),
});

test.each([
  ['transcript first', 'claude-code'],
  ['OTLP first', 'claude-code'],
  ['transcript first', 'codex'],
  ['OTLP first', 'codex'],
])(
  'counts a compaction’s own call once, although its sources have no common id (%s, %s)',
  async (order, client) => {
    const session = `compacted, ${order}, ${client}`;
    const usage = { input: 10, output: 20, cacheRead: 1000, cacheCreation: 100 };
    const call = {
      call: 'acompact-b1',
      chain: 'acompact-b1',
      scope: 'side',
      model: 'claude-sonnet-4-5',
    } as const;
    const sendTranscript = async () => {
      const hello = {
        project: 'folder',
        client,
        runner: { name: 'w' },
        source: 'transcript',
      } as const;
      const stream = await openStream(sql, { ...hello, stream: randomUUID() });
      const items: Item[] = [{ type: 'turn', seq: 1, session, at: clock, usage, ...call }];
      await recordDeliveries(sql, [{ stream, items, receivedAt: clock, clockAgrees: true }], { now: clock });
    };
    const counts = { input_token_count: 1110, output_token_count: 20, cached_token_count: 1000 };
    const record =
      client === 'codex'
        ? codexCall(session, { ...counts, cache_write_token_count: 100 })
        : apiRequest({ session, source: 'compact', request: 'req_7' });
    const telemetry = JSON.stringify(logsOf(record));
    const sendTelemetry = () => post('/v1/logs', telemetry);
    const senders = order.startsWith('OTLP')
      ? [sendTelemetry, sendTranscript]
      : [sendTranscript, sendTelemetry];
    for (const send of [...senders, sendTelemetry]) await send();
    expect((await read(session, client))?.turns).toEqual([['acompact-b1', 'side', 10, 20, 1000, 100]]);
  },
);

test('has the window that Codex uses of a model, which its telemetry does not state', async () => {
  const counts = { input_token_count: 1110, output_token_count: 20, cached_token_count: 1000 };
  await post('/v1/logs', JSON.stringify(logsOf(codexCall('window of codex', counts))));
  expect(await read('window of codex', 'codex')).toMatchObject({
    limit: 258_400,
    limitSource: 'table',
    used: 1130,
  });
});

const chat = (conversation: string, agent: string | null, response: string, input: number) => ({
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: response.padStart(16, '0'),
  name: 'chat gpt-5',
  startTimeUnixNano: nano(),
  endTimeUnixNano: nano(),
  attributes: attributes({
    'gen_ai.operation.name': 'chat',
    'gen_ai.conversation.id': conversation,
    'gen_ai.request.model': 'gpt-5',
    'gen_ai.usage.input_tokens': input,
    'gen_ai.usage.output_tokens': 10,
    ...(agent === null ? {} : { 'gen_ai.agent.name': agent }),
  }),
});
const spansOf = (...spans: object[]) => ({
  resourceSpans: [
    { resource: { attributes: attributes({ 'service.name': 'crew' }) }, scopeSpans: [{ spans }] },
  ],
});

test('makes the first agent of a conversation its main chain, also after a restart of the server', async () => {
  const first = spansOf(chat('crew-1', 'lead', 'a1', 100), chat('crew-1', 'writer', 'a2', 50));
  await post('/v1/traces', JSON.stringify(first));
  const restarted = await startIngestServer(database.url);
  const later = spansOf(chat('crew-1', 'writer', 'a3', 60), chat('crew-1', 'lead', 'a4', 200));
  const response = await fetch(`${restarted.url}/v1/traces`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': JSON_TYPE },
    body: JSON.stringify(later),
  });
  expect(await response.json()).toEqual({});
  await restarted.close();
  const session = await read('crew-1', null, 'crew');
  expect(session?.turns.map(([chain, , input]) => [chain, input])).toEqual([
    ['main', 100],
    ['writer', 50],
    ['writer', 60],
    ['main', 200],
  ]);
  expect(session).toMatchObject({ title: 'lead', used: 210 });
});

const HARBOUR = { 'gen_ai.conversation.id': 'harbour-talk' };
/** Spans of one trace, as an exporter sends them: a span follows the spans below it. */
const tracedSpan = (trace: string, id: string, parent: string, given: Record<string, string | number>) => ({
  traceId: trace.repeat(32),
  spanId: id.padStart(16, '0'),
  parentSpanId: parent.padStart(16, '0'),
  startTimeUnixNano: nano(),
  endTimeUnixNano: nano(),
  attributes: attributes(given),
});
const callSpan = (trace: string, id: string, parent: string, input: number) =>
  tracedSpan(trace, id, parent, {
    'gen_ai.operation.name': 'chat',
    'gen_ai.usage.input_tokens': input,
    'gen_ai.usage.output_tokens': 10,
  });
const agentSpan = (trace: string, id: string, parent: string, name: string, more = {}) =>
  tracedSpan(trace, id, parent, {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': name,
    ...more,
  });
const sendSpans = (...spans: object[]) => post('/v1/traces', JSON.stringify(spansOf(...spans)));
const chainsOf = async (key: string) =>
  (await read(key, null, 'crew'))?.turns.map(([chain, , input]) => [chain, input]);

test('takes the conversation and the agent of a call from the spans of agents above it', async () => {
  const spans = [
    callSpan('3', 'a2', 'a1', 5200),
    callSpan('3', 'a4', 'a6', 1900),
    tracedSpan('3', 'a6', 'a3', { 'http.request.method': 'POST' }),
    agentSpan('3', 'a3', 'a1', 'researcher'),
    callSpan('3', 'a5', 'a1', 6100),
    agentSpan('3', 'a1', '', 'planner', HARBOUR),
    callSpan('4', 'b2', 'b1', 6900),
    agentSpan('4', 'b1', '', 'planner', HARBOUR),
  ];
  await sendSpans(...spans);
  await sendSpans(...spans);
  // The span of its agent is known from the earlier request.
  await sendSpans(callSpan('4', 'b3', 'b1', 7000));
  expect(await chainsOf('harbour-talk')).toEqual([
    ['main', 5200],
    ['researcher', 1900],
    ['main', 6100],
    ['main', 6900],
    ['main', 7000],
  ]);
  expect(await read('harbour-talk', null, 'crew')).toMatchObject({ title: 'planner' });
  expect([await chainsOf('3'.repeat(32)), await chainsOf('4'.repeat(32))]).toEqual([undefined, undefined]);
});

test('keeps the calls below an agent in the session of the trace if the agent arrives after the first', async () => {
  const first = callSpan('5', 'c2', 'c1', 5000);
  await sendSpans(first);
  await sendSpans(
    callSpan('5', 'c3', 'c1', 6000),
    agentSpan('5', 'c1', '', 'planner', { 'session.id': 'late' }),
  );
  await sendSpans(first);
  expect(await chainsOf('5'.repeat(32))).toEqual([
    ['main', 5000],
    ['main', 6000],
  ]);
  expect(await chainsOf('late')).toBeUndefined();
});

test('counts a span of LiveKit without an operation, unless a call below it counts', async () => {
  const counts = {
    'gen_ai.usage.input_tokens': 1400,
    'gen_ai.usage.output_tokens': 60,
    'session.id': 'voice',
  };
  const request = (id: string) => ({ ...tracedSpan('7', id, '', counts), name: 'llm_request' });
  const below = tracedSpan('7', 'e3', 'e2', { ...counts, 'gen_ai.operation.name': 'chat' });
  const answer = await sendSpans(request('e1'), request('e2'), below);
  expect(await answer.json()).toEqual({});
  expect(await chainsOf('voice')).toEqual([
    ['main', 1400],
    ['main', 1400],
  ]);
});

test('states the records with token counts that it leaves out, to the sender and to the token’s projects', async () => {
  const counts = { 'gen_ai.usage.input_tokens': 5, 'gen_ai.usage.output_tokens': 6 };
  const sum = { ...tracedSpan('8', 'f1', '', counts), name: 'agent run' };
  const unknown = tracedSpan('8', 'f2', 'f1', counts);
  const other = tracedSpan('8', 'f3', 'f1', { ...counts, 'gen_ai.operation.name': 'responses' });
  const body = JSON.stringify(spansOf(sum, unknown, other, callSpan('8', 'f4', 'f1', 50)));
  const answer = await post('/v1/traces', body, { 'X-Barograph-Project': 'left-out' });
  const reason = 'no gen_ai.operation.name, unknown operation "responses"';
  const errorMessage =
    `2 records with token counts accepted and not used (${reason}): ` +
    'only records of single model calls count.';
  expect(await answer.json()).toEqual({ partialSuccess: { errorMessage } });
  const listedFor = async (bearer: string) => {
    const headers = { Authorization: `Bearer ${bearer}` };
    const about = await (await fetch(`${server.url}/v1/ingest`, { headers })).json();
    return (about as { leftOut: { project: string }[] }).leftOut;
  };
  const at = new Date(Date.now()).toISOString();
  expect(await listedFor(token)).toContainEqual({ project: 'left-out', records: 2, reason, at });
  const bound = await createToken(sql, { name: 'bound to farm', scopes: ['ingest'], projects: ['farm'] });
  expect(await listedFor(bound)).toEqual([]);
});

test('never takes a conversation from a span of another project or of a token without its right', async () => {
  const bound = await createToken(sql, { name: 'elsewhere', scopes: ['ingest'], projects: ['farm'] });
  const foreign = JSON.stringify(spansOf(agentSpan('6', 'd1', '', 'planner', { 'session.id': 'foreign' })));
  await post('/v1/traces', foreign, { 'X-Barograph-Project': 'farm' });
  await post('/v1/traces', foreign, { Authorization: `Bearer ${bound}` });
  await sendSpans(callSpan('6', 'd2', 'd1', 5000));
  expect(await chainsOf('6'.repeat(32))).toEqual([['main', 5000]]);
});

test('counts a resent call without an id once, whichever process receives it', async () => {
  const record = codexCall('codex-1', {
    input_token_count: 900,
    cached_token_count: 800,
    output_token_count: 40,
  });
  const body = JSON.stringify(logsOf(record));
  await post('/v1/logs', body);
  await post('/v1/logs', body);
  const other = await startIngestServer(database.url);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': JSON_TYPE };
  expect(await (await fetch(`${other.url}/v1/logs`, { method: 'POST', headers, body })).json()).toEqual({});
  await other.close();
  expect((await read('codex-1', 'codex'))?.turns).toEqual([['main', 'main', 100, 40, 800, 0]]);
});

test('accepts the official JavaScript exporters, and counts a call with span and event once', async () => {
  const headers = { Authorization: `Bearer ${token}` };
  const resource = resourceFromAttributes({ 'service.name': 'shop-agent' });
  const spans = new OTLPTraceExporter({ url: `${server.url}/v1/traces`, headers });
  const tracers = new TracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor({ exporter: spans })],
  });
  const logs = new OTLPLogExporter({ url: `${server.url}/v1/logs`, headers, compression: 'gzip' as never });
  const loggers = new LoggerProvider({
    resource,
    processors: [new BatchLogRecordProcessor({ exporter: logs } as never)],
  });
  const call = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.response.model': 'gpt-5',
    'gen_ai.conversation.id': 'conv-1',
    'gen_ai.response.id': 'resp-1',
    'gen_ai.usage.input_tokens': 1500,
    'gen_ai.usage.output_tokens': 300,
    'gen_ai.usage.cache_read.input_tokens': 1000,
    'gen_ai.usage.cache_creation.input_tokens': 200,
  };
  const tracer = tracers.getTracer('test');
  tracer.startSpan('chat gpt-5', { attributes: call }).end();
  tracer
    .startSpan('invoke_agent', { attributes: { ...call, 'gen_ai.operation.name': 'invoke_agent' } })
    .end();
  loggers
    .getLogger('test')
    .emit({ eventName: 'gen_ai.client.inference.operation.details', attributes: call });
  await tracers.shutdown();
  await loggers.shutdown();
  const session = await read('conv-1', null, 'shop-agent');
  expect(session?.turns).toEqual([['main', 'main', 300, 300, 1000, 200]]);
  expect(session).toMatchObject({ used: 1800, lens: 'snapshot', model: 'gpt-5', runner: 'shop-agent' });
});

test('accepts an exporter that is configured by the documented variables', async () => {
  const page = readFileSync(new URL('../../docs/connect/opentelemetry.md', import.meta.url), 'utf8');
  const lines = /```sh\n([\s\S]*?)```/.exec(page)?.[1]?.trim().split('\n') ?? [];
  for (const line of lines) {
    const [, name = '', value = ''] = /^export (\w+)="?(.*?)"?$/.exec(line) ?? [];
    const here = value.replace('http://127.0.0.1:4680', server.url).replace('$BAROGRAPH_TOKEN', token);
    vi.stubEnv(name, here);
  }
  const exporter = new OTLPLogExporter();
  const resource = detectResources({ detectors: [envDetector] });
  const loggers = new LoggerProvider({ resource, processors: [new BatchLogRecordProcessor({ exporter })] });
  loggers.getLogger('test').emit({
    body: 'claude_code.api_request',
    attributes: { 'session.id': 'documented', input_tokens: 7, output_tokens: 8, query_source: 'sdk' },
  });
  await loggers.shutdown();
  expect(await read('documented')).toMatchObject({ project: 'my-project', used: 15 });
});

test('leaves out side calls of a watched client, because its transcript has the sum of these calls', async () => {
  const records = (session: string) =>
    ['sdk', 'compact', 'generate_session_title'].map((source) =>
      apiRequest({ session, source, request: `req_${source}` }),
    );
  const sendAll = (session: string, headers: Record<string, string> = {}) =>
    post('/v1/logs', JSON.stringify(logsOf(...records(session))), headers);
  await sendAll('unwatched');
  await sendAll('watched', { 'X-Barograph-Watched': '1' });
  const totals = async (session: string) => (await read(session))?.turns.length;
  expect([await totals('unwatched'), await totals('watched')]).toEqual([3, 1]);
});
