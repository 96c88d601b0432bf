import { fromJsonString, toBinary } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { ExportLogsServiceRequestSchema } from './proto/opentelemetry/proto/collector/logs/v1/logs_service_pb';
import { SIGNALS } from './signals';

type Values = Record<string, string | number>;

const NOW = 1_795_293_300_000;

const attributes = (values: Values) =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: value },
  }));

function read(path: string, service: string, records: object) {
  const resource = { attributes: attributes({ 'service.name': service }) };
  const name = path === '/v1/logs' ? 'Logs' : 'Spans';
  const body = { [`resource${name}`]: [{ resource, [`scope${name}`]: [records] }] };
  const signal = SIGNALS[path];
  if (!signal) throw new Error(`no signal ${path}`);
  return signal.read(Buffer.from(JSON.stringify(body)), { encoding: 'application/json', now: NOW });
}

const readEvent = (service: string, values: Values, at = 1_795_293_211_529) => {
  const record = { observedTimeUnixNano: `${at}000000`, attributes: attributes(values) };
  return read('/v1/logs', service, { logRecords: [record] });
};
const readSpan = (values: Values, service = 'crew') => {
  const ids = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
  const span = { ...ids, endTimeUnixNano: '1795293211529999999', attributes: attributes(values) };
  return read('/v1/traces', service, { spans: [span] });
};
const chat = (values: Values) =>
  readSpan({ 'gen_ai.operation.name': 'chat', 'gen_ai.usage.output_tokens': 10, ...values }).found[0]?.report;

test('subtracts the cached tokens from Codex’s input', () => {
  const [found] = readEvent('codex_cli_rs', {
    'event.name': 'codex.sse_event',
    'event.kind': 'response.completed',
    'conversation.id': 'thread-1',
    model: 'gpt-5-codex',
    input_token_count: '12000',
    cached_token_count: '9000',
    output_token_count: 500,
    reasoning_token_count: 300,
  }).found;
  expect(found?.report).toMatchObject({
    client: 'codex',
    session: 'thread-1',
    at: 1795293211529,
    facts: {
      usage: { input: 3000, output: 500, cacheRead: 9000 },
      contextTokens: 12_500,
      model: 'gpt-5-codex',
    },
  });
});

test('adds the thoughts of Gemini CLI to the output, and reports its compressions', () => {
  const [call] = readEvent('gemini-cli', {
    'event.name': 'gemini_cli.api_response',
    'session.id': 's-1',
    input_token_count: 8000,
    cached_content_token_count: 6000,
    output_token_count: 100,
    thoughts_token_count: 400,
  }).found;
  expect(call?.report.facts).toMatchObject({ usage: { input: 2000, output: 500, cacheRead: 6000 } });
  const [compression] = readEvent('gemini-cli', {
    'event.name': 'gemini_cli.chat_compression',
    'session.id': 's-1',
    tokens_before: 90_000,
    tokens_after: 9000,
  }).found;
  expect(compression?.report.facts).toMatchObject({
    type: 'compaction',
    state: 'confirmed',
    preTokens: 90_000,
    postTokens: 9000,
  });
});

test('reads a failed compaction of Claude Code as failed, with its reason', () => {
  const [found] = readEvent('claude-code', {
    'event.name': 'claude_code.compaction',
    'session.id': 's-1',
    success: 'false',
    trigger: 'manual',
    pre_tokens: '5000',
    error: 'aborted',
  }).found;
  expect(found?.report.facts).toMatchObject({
    state: 'failed',
    trigger: 'manual',
    reason: 'aborted',
    preTokens: 5000,
  });
});

test.each([
  ['takes cached tokens out of the input, which includes them', 1000, 600, 200, 200],
  ['leaves an input unchanged that is smaller than its cached part', 50, 600, 200, 50],
])('%s', (_, given, cacheRead, cacheCreation, input) => {
  const report = chat({
    'gen_ai.usage.input_tokens': given,
    'gen_ai.usage.cache_read.input_tokens': cacheRead,
    'gen_ai.usage.cache_creation.input_tokens': cacheCreation,
  });
  expect(report?.facts).toMatchObject({
    usage: { input, cacheRead, cacheCreation },
    contextTokens: input + cacheRead + cacheCreation + 10,
  });
});

test('identifies a call by response and span, and a session by conversation or trace', () => {
  const span = 'span:0af7651916cd43dd8448eb211c80319c/b7ad6b7169203331';
  expect(chat({ 'gen_ai.response.id': 'resp_1', 'gen_ai.conversation.id': 'c-1' })).toMatchObject({
    session: 'c-1',
    facts: { call: ['resp_1', span] },
  });
  expect(chat({})).toMatchObject({ session: '0af7651916cd43dd8448eb211c80319c', facts: { call: [span] } });
});

test('reads the calls of an agent with a name that begins like a client’s', () => {
  const values = { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 5 };
  expect(readSpan(values, 'codex-helper').found).toHaveLength(1);
});

test.each([
  ['an agent with the sum of its calls', 'invoke_agent', 'crew'],
  ['a tool', 'execute_tool', 'crew'],
  ['an embedding', 'embeddings', 'crew'],
  ['a client that reports its calls by events', 'chat', 'gemini-cli'],
  ['another program of such a client', 'chat', 'codex_cli_rs'],
])('ignores the span of %s', (_, operation, service) => {
  const values = { 'gen_ai.operation.name': operation, 'gen_ai.usage.input_tokens': 5 };
  expect(readSpan(values, service).found).toEqual([]);
});

test('the name of a service is checked in linear time', () => {
  const started = performance.now();
  readSpan({ 'gen_ai.operation.name': 'chat' }, `codex${'_cli'.repeat(60)}!`);
  expect(performance.now() - started).toBeLessThan(1_000);
});

test.each(['constructor', '__proto__', 'toString'])(
  'an event named %s is not an event of a client',
  (name) => {
    expect(readEvent('any', { 'event.name': name })).toMatchObject({ found: [], rejected: [] });
  },
);

test('a call without its input does not state the size of the context', () => {
  const report = chat({ 'gen_ai.usage.output_tokens': 120 });
  expect(report?.facts).toMatchObject({ type: 'turn', usage: { output: 120 } });
  expect(report?.facts).not.toHaveProperty('contextTokens');
});

const emptyRecords = (count: number) => ({
  resourceLogs: [{ scopeLogs: [{ logRecords: Array.from({ length: count }, () => ({})) }] }],
});
const oneRecord = (count: number) => ({
  resourceLogs: [
    { scopeLogs: [{ logRecords: [{ attributes: Array.from({ length: count }, () => ({ key: '{{"' })) }] }] },
  ],
});

test.each([
  ['more than 10000 records', emptyRecords(10_001)],
  ['more than 200000 attributes', oneRecord(200_001)],
])('refuses a body with %s, and names the limit', (limit, body) => {
  const json = JSON.stringify(body);
  const binary = toBinary(
    ExportLogsServiceRequestSchema,
    fromJsonString(ExportLogsServiceRequestSchema, json),
  );
  for (const [bytes, encoding] of [
    [Buffer.from(json), 'application/json'],
    [Buffer.from(binary), 'application/x-protobuf'],
  ] as const) {
    const [, count = ''] = /(\d+)/.exec(limit) ?? [];
    expect(() => SIGNALS['/v1/logs']?.read(bytes, { encoding, now: NOW })).toThrow(`at most ${count} `);
  }
});

test('reads a body with as many records as a collector sends', () => {
  const records = Array.from({ length: 9_000 }, () => ({ attributes: attributes({ a: 1, b: '{"', c: 3 }) }));
  expect(read('/v1/logs', 'any', { logRecords: records })).toMatchObject({ found: [], rejected: [] });
});

test('rejects a record that is dated more than a day after the time of the server', () => {
  const values = { 'event.name': 'gemini_cli.api_response', 'session.id': 's-1', input_token_count: 1 };
  const day = 24 * 3_600_000;
  expect(readEvent('gemini-cli', values, NOW + day).found).toHaveLength(1);
  expect(readEvent('gemini-cli', values, NOW + day + 1)).toMatchObject({
    found: [],
    rejected: [
      'resourceLogs[0].scopeLogs[0].logRecords[0]: timeUnixNano is more than a day after the time of the server',
    ],
  });
});
